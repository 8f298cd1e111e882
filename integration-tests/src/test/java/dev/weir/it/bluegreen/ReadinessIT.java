package dev.weir.it.bluegreen;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.TestBed;
import dev.weir.it.faults.Await;
import dev.weir.it.faults.JsonResponse;
import dev.weir.testkit.junit.TestSeed;
import dev.weir.testkit.process.Ports;
import org.junit.jupiter.api.Test;

/**
 * When a gateway in front of a real cluster, and of one that is down, tells balancers to use it.
 */
class ReadinessIT {
  private static TestBed start(int port, String http, String more) {
    return TestBed.startWithConfigWithoutWaiting(
        """
        clusters:
          blue: {seeds: [%s]}
          gone: {seeds: ["127.0.0.1:1"]}
        http: {listen: "127.0.0.1:%d"%s}
        admin: {listen: "127.0.0.1:0"}
        %s
        """
            .formatted(TwoClusters.seeds(TwoClusters.blue()), port, http, more));
  }

  private static int status(TestBed bed, String query) {
    return bed.admin().send("GET", "/readyz" + query).status();
  }

  private static void awaitStatus(TestBed bed, String query, int status) {
    Await.untilValue("status of /readyz" + query, () -> status(bed, query), seen -> seen == status);
  }

  @Test
  void isNotReadyWithoutTheClusterThatGetsTheRequests() {
    try (TestBed bed = start(0, "", "traffic: {weights: {gone: 3, blue: 1}}")) {
      awaitStatus(bed, "?cluster=blue", 200);
      assertThat(status(bed, "?cluster=gone")).isEqualTo(503);
      JsonResponse all = JsonResponse.of(bed.admin().send("GET", "/readyz"));
      assertThat(all.status()).isEqualTo(503);
      assertThat(String.valueOf(all.at("reasons")))
          .contains("cluster gone: ", "127.0.0.1:1")
          .doesNotContain("cluster blue");
      assertThat(all.at("clusters.gone.reachable")).isEqualTo(false);
      assertThat(all.at("clusters.gone.traffic_percent")).isEqualTo(75.0);
      assertThat(all.at("clusters.blue.reachable")).isEqualTo(true);
      assertThat(bed.admin().send("GET", "/readyz?cluster=red").body())
          .contains("got [red]", "expected: one of blue, gone");

      bed.admin().send("POST", "/traffic/shift?blue=1").orThrow();
      assertThat(status(bed, "")).as("the other cluster gets nothing now").isEqualTo(200);
    }
  }

  @Test
  void isReadyAfterAWhileWithoutASmallCluster() {
    try (TestBed bed = start(0, "", "traffic: {weights: {gone: 1, blue: 9}}")) {
      awaitStatus(bed, "", 200);
      assertThat(status(bed, "?cluster=gone")).isEqualTo(503);
    }
  }

  @Test
  void listensOnASharedPortWhenItIsReady() {
    try (TestBed bed =
        start(
            Ports.findFree(TestSeed.random(ReadinessIT.class)),
            ", reuse-port: true",
            "traffic: {weights: {gone: 1}}")) {
      Await.untilValue(
          "the cluster is reached",
          () -> JsonResponse.of(bed.admin().send("GET", "/readyz")).at("clusters.blue.reachable"),
          Boolean.TRUE::equals);
      assertThat(String.valueOf(JsonResponse.of(bed.admin().send("GET", "/readyz")).at("reasons")))
          .contains("not listening yet");
      bed.admin().send("POST", "/traffic/shift?blue=1").orThrow();
      awaitStatus(bed, "", 200);
    }
  }
}
