package dev.weir.it.containers;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.testkit.RestAccess;
import dev.weir.testkit.RestClient;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Map;
import java.util.random.RandomGenerator;
import javax.net.ssl.SSLContext;

/**
 * A cluster of one node with the security plugin in its demo configuration, and a user who may only
 * read. Closing it removes all.
 */
final class DemoSecuredNode implements AutoCloseable {
  static final String ADMIN = "admin";
  static final String READER = "orders-reader";

  /** The plugin rejects passwords that are easy to guess. */
  static final String PASSWORD = "Quendel-93_Kesselhaus";

  private static final String PLUGIN_FILE =
      "plugins/opensearch-security/plugin-descriptor.properties";

  private final ContainerNode node;
  private final DemoCertificates certificates;
  private final SSLContext tls;

  private DemoSecuredNode(ContainerNode node, Path folder) {
    this.node = node;
    this.certificates = DemoCertificates.copy(node, folder);
    this.tls = certificates.clientTls();
  }

  /**
   * Starts the node and waits until it has read its users; skips the test if the image has no
   * security plugin.
   *
   * @param folder for the certificates
   */
  static DemoSecuredNode startOrSkip(NodeImage image, Path folder, RandomGenerator random) {
    NodePorts ports = NodePorts.findFree(random);
    Map<String, String> environment =
        Map.of(
            "OPENSEARCH_INITIAL_ADMIN_PASSWORD",
            PASSWORD,
            "cluster.name",
            "weir-secured-container-" + ports.transport(),
            "node.name",
            "secured",
            "discovery.type",
            "single-node");
    ContainerNode container = ContainerNode.start(image, ports, environment);
    try {
      assumeTrue(container.hasFile(PLUGIN_FILE), "the image " + image + " has no security plugin");
      container.awaitOpenPort();
      DemoSecuredNode secured = new DemoSecuredNode(container, folder);
      container.awaitHealth(secured.password(ADMIN, PASSWORD), "wait_for_nodes=1");
      secured.addReader();
      return secured;
    } catch (Throwable e) { // a skipped test too
      container.close();
      throw e;
    }
  }

  private void addReader() {
    String user =
        "{\"password\": \"%s\", \"opendistro_security_roles\": [\"readall\"]}".formatted(PASSWORD);
    try (RestClient admin = client(password(ADMIN, PASSWORD))) {
      admin.send("PUT", "/_plugins/_security/api/internalusers/" + READER, user).orThrow();
    }
  }

  /** Returns a client of the node, for the caller to close. */
  RestClient client(RestAccess access) {
    return new RestClient(uri(), access);
  }

  private URI uri() {
    return node.uri(none());
  }

  /** Returns a client without credentials, which trusts the node. */
  RestAccess none() {
    return new RestAccess(tls, Map.of());
  }

  /** Returns a client with a password, which trusts the node. */
  RestAccess password(String user, String password) {
    byte[] both = (user + ":" + password).getBytes(StandardCharsets.UTF_8);
    return none().withHeader("Authorization", "Basic " + Base64.getEncoder().encodeToString(both));
  }

  /** Returns the configuration of a gateway in front, with TLS to the node. */
  String gatewayConfig() {
    return """
    clusters:
      main:
        seeds: ["%1$s"]
        transport-tls:
          enabled: true
          ca-file: %2$s
          certificate-file: %3$s
          key-file: %4$s
        rest-tls: {enabled: true, ca-file: %2$s}
    http: {listen: "127.0.0.1:0"}
    admin: {listen: "127.0.0.1:0"}
    """
        .formatted(
            node.transportAddress(),
            certificates.authority(),
            certificates.node(),
            certificates.nodeKey());
  }

  @Override
  public void close() {
    node.close();
  }
}
