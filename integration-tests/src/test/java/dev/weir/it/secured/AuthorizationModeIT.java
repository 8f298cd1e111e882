package dev.weir.it.secured;

import static dev.weir.it.RequestMetrics.searches;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.TestBed;
import dev.weir.it.faults.Await;
import dev.weir.it.faults.JsonResponse;
import dev.weir.testkit.ClusterSpec;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.NodePlugin;
import dev.weir.testkit.RestAccess;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.RestReply;
import dev.weir.testkit.SharedCluster;
import dev.weir.testkit.process.ClassPath;
import dev.weir.testkit.secured.ClusterCertificates;
import dev.weir.testkit.secured.SecuredCluster;
import dev.weir.testkit.secured.SecuredUser;
import dev.weir.testkit.secured.SharedSecuredCluster;
import org.junit.jupiter.api.Test;

/** Which mode is in force in front of open, guarded and secured nodes. */
class AuthorizationModeIT {
  private static final String SEARCH = "/_search?size=0";

  private static String authorization(TestBed bed, String key) {
    return JsonResponse.of(bed.admin().send("GET", "/readyz").orThrow())
        .text("authorization.main." + key);
  }

  /** The gateway counts a request once its response is written, so a client may be faster. */
  private static void awaitSearches(TestBed bed, String label, double expected) {
    Await.untilValue(
        "searches with " + label, () -> searches(bed, label), count -> count == expected);
  }

  @Test
  void coordinateInFrontOfOpenNodes() {
    try (TestBed bed = TestBed.inFrontOf(SharedCluster.get().seeds())) {
      assertThat(authorization(bed, "reason"))
          .isEqualTo("the nodes serve requests without credentials");
      assertThat(authorization(bed, "mode")).isEqualTo("none");
      bed.rest().send("GET", SEARCH).orThrow();
      awaitSearches(bed, "path=\"coordinated\"", 1);
    }
  }

  @Test
  void leaveTheCheckToNodesThatOnlyGuardTheirRestPort() {
    ClusterSpec spec =
        ClusterSpec.ofNodes(1)
            .withName("weir-guarded")
            .mapNodes(node -> node.withHeap("256m").withPlugin(NodePlugin.REST_GUARD));
    RestAccess known = RestAccess.PLAIN.withHeader("Authorization", "Basic eDp5");
    try (DataNodeCluster guarded = DataNodeCluster.start(spec, ClassPath.ofDataNode(), known);
        TestBed bed = TestBed.inFrontOf(guarded.seeds());
        RestClient client = new RestClient(bed.uri(), known)) {
      assertThat(authorization(bed, "mode")).isEqualTo("delegate");
      assertThat(authorization(bed, "reason"))
          .contains("answered 401 to a request without credentials");
      assertThat(bed.rest().send("GET", SEARCH).status()).isEqualTo(401);
      assertThat(client.send("GET", SEARCH).status()).isEqualTo(200);
      awaitSearches(bed, "reason=\"security\"", 2);
      assertThat(searches(bed, "path=\"coordinated\"")).isZero();
    }
  }

  @Test
  void holdDeadlinesInFrontOfSecuredNodes() {
    SecuredCluster cluster = SharedSecuredCluster.get();
    ClusterCertificates issued = cluster.certificates();
    String ca = issued.authority().certificateFile().toString();
    String yaml =
        """
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
                cluster.nodes().seeds().getFirst(),
                ca,
                issued.gateway().certificateFile(),
                issued.gateway().keyFile());
    RestAccess reader =
        new RestAccess(
            RestAccess.PLAIN.tls(),
            cluster.credentials().password(SecuredUser.ORDERS_READER).headers());
    try (TestBed bed = TestBed.startWithConfig(yaml);
        RestClient client = new RestClient(bed.uri(), reader);
        RestClient hurried =
            new RestClient(bed.uri(), reader.withHeader("X-Weir-Timeout", "1micros"))) {
      assertThat(authorization(bed, "mode")).isEqualTo("delegate");
      assertThat(authorization(bed, "reason")).isEqualTo("transport-tls is enabled");
      assertThat(client.send("GET", "/orders-*/_search").orThrow().body()).contains("A-1");
      assertThat(bed.rest().send("GET", "/orders-*/_search").status()).isEqualTo(401);
      RestReply late = hurried.send("GET", "/orders-*/_search");
      assertThat(late.status()).isEqualTo(408);
      assertThat(late.body()).contains("deadline_exceeded_exception", "header X-Weir-Timeout");
      awaitSearches(bed, "reason=\"security\"", 3);
    }
  }
}
