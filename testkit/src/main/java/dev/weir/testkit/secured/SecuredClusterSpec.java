package dev.weir.testkit.secured;

import dev.weir.testkit.ClusterSpec;

/**
 * What a secured cluster is to be like.
 *
 * @param cluster its nodes; their settings win over those that the security plugin gets here
 * @param clientCertificates what the REST ports want of a client's certificate
 * @param doNotFailOnForbidden whether a search over allowed and forbidden indices answers from the
 *     allowed ones, in place of 403
 */
public record SecuredClusterSpec(
    ClusterSpec cluster, ClientCertificateMode clientCertificates, boolean doNotFailOnForbidden) {
  /**
   * Specifies stock nodes {@code node-1} to {@code node-N} that take client certificates, and
   * reject requests to forbidden indices.
   */
  public static SecuredClusterSpec ofNodes(int nodes) {
    return of(ClusterSpec.ofNodes(nodes).withName("weir-secured"));
  }

  /** Specifies the given nodes; they run without Weir's plugin. */
  public static SecuredClusterSpec of(ClusterSpec cluster) {
    return new SecuredClusterSpec(cluster.withoutPlugin(), ClientCertificateMode.OPTIONAL, false);
  }

  /** Returns a copy with another wish for client certificates. */
  public SecuredClusterSpec withClientCertificates(ClientCertificateMode mode) {
    return new SecuredClusterSpec(cluster, mode, doNotFailOnForbidden);
  }

  /** Returns a copy that leaves forbidden indices out of a search. */
  public SecuredClusterSpec withoutFailureOnForbidden() {
    return new SecuredClusterSpec(cluster, clientCertificates, true);
  }
}
