package dev.weir.it.secured;

import dev.weir.it.TestBed;
import dev.weir.testkit.RestAccess;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.RestReply;
import dev.weir.testkit.secured.ClusterCertificates;
import dev.weir.testkit.secured.IssuedCertificate;
import dev.weir.testkit.secured.SecuredCluster;
import java.net.URI;
import java.util.stream.Collectors;

/** A gateway in this JVM in front of a secured cluster, with TLS to its nodes. */
final class SecuredGateway implements AutoCloseable {
  private final TestBed bed;
  private final URI uri;

  private SecuredGateway(TestBed bed, URI uri) {
    this.bed = bed;
    this.uri = uri;
  }

  /** Starts a gateway that speaks plain HTTP with clients. */
  static SecuredGateway inFrontOf(SecuredCluster cluster) {
    return start(cluster, "", "");
  }

  /**
   * Starts a gateway.
   *
   * @param http further keys of its {@code http} section, in one line; with {@code tls} clients
   *     connect with TLS
   * @param restTls further keys of the cluster's {@code rest-tls}, each on a line of 8 spaces
   */
  static SecuredGateway start(SecuredCluster cluster, String http, String restTls) {
    TestBed bed = TestBed.startWithConfig(config(cluster, http, restTls));
    String scheme = http.contains("tls:") ? "https" : "http";
    URI uri = URI.create(scheme + "://127.0.0.1:" + bed.uri().getPort());
    return new SecuredGateway(bed, uri);
  }

  /** Returns the configuration of a gateway in front of a cluster. */
  static String config(SecuredCluster cluster, String http, String restTls) {
    ClusterCertificates certificates = cluster.certificates();
    String seeds =
        cluster.nodes().seeds().stream()
            .map(seed -> '"' + seed + '"')
            .collect(Collectors.joining(", "));
    return """
    clusters:
      main:
        seeds: [%s]
        transport-tls:
          enabled: true
          ca-file: %s
          certificate-file: %s
          key-file: %s
        rest-tls:
          enabled: true
          ca-file: %s
    %shttp:
      listen: 127.0.0.1:0
      %s
    admin:
      listen: 127.0.0.1:0
    """
        .formatted(
            seeds,
            certificates.authority().certificateFile(),
            certificates.gateway().certificateFile(),
            certificates.gateway().keyFile(),
            certificates.authority().certificateFile(),
            restTls,
            http);
  }

  /** Returns the key {@code tls} of the {@code http} section, with the gateway's certificate. */
  static String httpTls(SecuredCluster cluster) {
    IssuedCertificate own = cluster.certificates().gateway();
    return "tls: {enabled: true, certificate-file: \"%s\", key-file: \"%s\"}"
        .formatted(own.certificateFile(), own.keyFile());
  }

  URI uri() {
    return uri;
  }

  TestBed bed() {
    return bed;
  }

  /** Sends a request without a body. */
  RestReply get(RestAccess access, String path) {
    try (RestClient client = new RestClient(uri, access)) {
      return client.send("GET", path);
    }
  }

  @Override
  public void close() {
    bed.close();
  }
}
