package dev.weir.it.secured;

import dev.weir.it.TestBed;
import dev.weir.it.faults.Await;
import dev.weir.testkit.RestAccess;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.secured.ClusterCertificates;
import dev.weir.testkit.secured.SecuredCluster;
import java.util.stream.Collectors;

/** A gateway that authorizes requests to a secured cluster. Its client port has no TLS. */
final class AuthorizingGateway implements AutoCloseable {
  private final TestBed bed;

  AuthorizingGateway(SecuredCluster cluster, String more) {
    ClusterCertificates certificates = cluster.certificates();
    this.bed =
        TestBed.startWithConfig(
            """
            clusters:
              main:
                seeds: [%s]
                authorization: gateway
                transport-tls: {enabled: true, ca-file: "%s", certificate-file: "%s", key-file: "%s"}
                rest-tls: {enabled: true, ca-file: "%s"}
            http: {listen: 127.0.0.1:0}
            admin: {listen: 127.0.0.1:0}
            %s
            """
                .formatted(
                    cluster.nodes().seeds().stream()
                        .map(seed -> '"' + seed + '"')
                        .collect(Collectors.joining(", ")),
                    certificates.authority().certificateFile(),
                    certificates.gateway().certificateFile(),
                    certificates.gateway().keyFile(),
                    certificates.authority().certificateFile(),
                    more));
  }

  /** A client with credentials, for the caller to close. */
  RestClient client(RestAccess access) {
    return new RestClient(bed.uri(), new RestAccess(null, access.headers()));
  }

  /** Requests that the gateway coordinated for users so far. */
  long authorized() {
    return metric("weir_authorization_requests_total");
  }

  /**
   * Sends requests until the gateway has coordinated all of them. Those that a slow node gives no
   * permissions for in time pass through, with the same answers.
   */
  void awaitAuthorized(int requests, Runnable sender) {
    Await.untilValue(
        "requests that the gateway coordinates",
        () -> {
          long before = authorized();
          sender.run();
          return authorized() - before;
        },
        coordinated -> coordinated == requests);
  }

  /** The sum of a metric's samples so far. */
  long metric(String name) {
    return bed.admin()
        .send("GET", "/metrics")
        .orThrow()
        .body()
        .lines()
        .filter(line -> line.startsWith(name + " ") || line.startsWith(name + "{"))
        .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  /** Prints how many requests of each kind went which way, and why. */
  void printRequests() {
    bed.admin()
        .send("GET", "/metrics")
        .orThrow()
        .body()
        .lines()
        .filter(line -> line.startsWith("weir_requests_total{"))
        .forEach(System.out::println);
  }

  TestBed bed() {
    return bed;
  }

  @Override
  public void close() {
    bed.close();
  }
}
