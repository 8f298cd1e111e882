package dev.weir.testkit.secured;

/**
 * The certificates of a secured cluster.
 *
 * @param authority issues them, and more if a test wants
 * @param node every node's, on its REST and its transport port
 * @param admin who shows it may do everything, and bypasses the security configuration
 * @param gateway listed among the nodes ({@code plugins.security.nodes_dn}): it opens the transport
 * @param client that of the user {@code client}
 */
public record ClusterCertificates(
    CertificateAuthority authority,
    IssuedCertificate node,
    IssuedCertificate admin,
    IssuedCertificate gateway,
    IssuedCertificate client) {
  static ClusterCertificates of(CertificateAuthority authority) {
    return new ClusterCertificates(
        authority,
        authority.issue("node"),
        authority.issue("admin"),
        authority.issue("gateway"),
        authority.issue("client"));
  }
}
