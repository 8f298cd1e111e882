package dev.weir.testkit.secured;

import dev.weir.testkit.ClusterSpec;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.NodePlugin;
import dev.weir.testkit.RestAccess;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.process.ClassPath;
import dev.weir.testkit.process.ScratchFolder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A running cluster of real OpenSearch nodes with the security plugin, TLS on REST and transport,
 * and the users of {@link SecuredUser}.
 *
 * <p>The nodes are of the newest release that has a plugin on Maven Central, which the module
 * {@code testkit/secured-node} names. Certificates and configuration are made at the start, in a
 * temporary folder, or in the folder {@code security} of a cluster that keeps its data.
 *
 * <pre>{@code
 * try (SecuredCluster cluster = SecuredCluster.start(SecuredClusterSpec.ofNodes(1));
 *     RestClient reader = cluster.client(SecuredUser.ORDERS_READER)) {
 *   reader.send("GET", "/orders-2026-10/_search").orThrow();
 * }
 * }</pre>
 */
public final class SecuredCluster implements AutoCloseable {
  private static final String SCRATCH_PREFIX = "weir-security-";

  private final SecuredClusterSpec spec;
  private final @Nullable ScratchFolder scratch;
  private final ClusterCertificates certificates;
  private final Credentials credentials;
  private final DataNodeCluster nodes;

  private SecuredCluster(SecuredClusterSpec spec, @Nullable ScratchFolder scratch)
      throws IOException {
    this.spec = spec;
    this.scratch = scratch;
    Path folder = Files.createDirectories(folder(spec, scratch));
    certificates =
        ClusterCertificates.of(CertificateAuthority.open(folder.resolve("certificates")));
    TokenSigner tokens = TokenSigner.open(folder.resolve("token.key"));
    IssuedCertificate shown =
        spec.clientCertificates() == ClientCertificateMode.REQUIRE ? certificates.gateway() : null;
    credentials = new Credentials(certificates.authority(), tokens, shown);
    Path configuration = folder.resolve("configuration");
    SecurityConfiguration.write(
        configuration,
        Map.of(
            "DO_NOT_FAIL_ON_FORBIDDEN", Boolean.toString(spec.doNotFailOnForbidden()),
            "TOKEN_KEY", tokens.key(),
            "GATEWAY", certificates.gateway().subject()));
    nodes = startNodes(configuration);
  }

  private static Path folder(SecuredClusterSpec spec, @Nullable ScratchFolder scratch) {
    return scratch == null
        ? Objects.requireNonNull(spec.cluster().folder()).resolve("security")
        : scratch.path();
  }

  /** Starts a cluster, and waits until it is green and has read its users. */
  public static SecuredCluster start(SecuredClusterSpec spec) {
    ScratchFolder scratch =
        spec.cluster().folder() == null ? ScratchFolder.create(SCRATCH_PREFIX) : null;
    try {
      return new SecuredCluster(spec, scratch);
    } catch (IOException | RuntimeException e) {
      if (scratch != null) {
        scratch.close();
      }
      throw e instanceof IOException failure
          ? new UncheckedIOException("cannot prepare a secured cluster", failure)
          : (RuntimeException) e;
    }
  }

  private DataNodeCluster startNodes(Path configuration) {
    ClassPath jars = ClassPath.ofSecuredNode();
    ClassPath server = SecurityPluginArchive.serverOf(jars);
    NodePlugin plugin = SecurityPluginArchive.of(jars).plugin(server);
    SecuritySettings settings =
        new SecuritySettings(certificates, spec.clientCertificates(), configuration);
    ClusterSpec secured = spec.cluster().mapNodes(node -> settings.secure(node, plugin));
    // not by certificate: an administrator's is let in before the users are read
    return DataNodeCluster.start(secured, server, credentials.password(SecuredUser.ADMIN));
  }

  /** The nodes; {@link DataNodeCluster#rest} is a client of {@link SecuredUser#ADMIN}. */
  public DataNodeCluster nodes() {
    return nodes;
  }

  /** The certificates of nodes, administrators, gateways and clients. */
  public ClusterCertificates certificates() {
    return certificates;
  }

  /** The ways to say who a client is. */
  public Credentials credentials() {
    return credentials;
  }

  /** A client of the first node, for the caller to close. */
  public RestClient client(SecuredUser user) {
    return client(credentials.password(user));
  }

  /** A client of the first node, for the caller to close. */
  public RestClient client(RestAccess access) {
    return new RestClient(nodes.node(0).httpUri(), access);
  }

  /**
   * Says from now on whether a search over allowed and forbidden indices answers from the allowed
   * ones; returns when all nodes know.
   */
  public void setDoNotFailOnForbidden(boolean allowedOnly) {
    String change =
        "[{\"op\":\"add\",\"path\":\"/config/dynamic/do_not_fail_on_forbidden\",\"value\":"
            + allowedOnly
            + "}]";
    try (RestClient admin = client(credentials.certificate(certificates.admin()))) {
      admin.send("PATCH", "/_plugins/_security/api/securityconfig", change).orThrow();
    }
  }

  /** Stops the nodes; deletes certificates and data unless the specification names a folder. */
  @Override
  public void close() {
    nodes.close();
    if (scratch != null) {
      scratch.close();
    }
  }
}
