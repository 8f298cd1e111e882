package dev.weir.gateway.readiness;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bluegreen.traffic.TrafficShares;
import dev.weir.bluegreen.traffic.UpstreamCluster;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ReadinessTest {
  private final Map<String, String> unavailable = new HashMap<>();
  private TrafficShares shares =
      new TrafficShares(Map.of("blue", 0.9, "green", 0.1), Set.of("blue", "green"));
  private double minReachablePercent = 50;
  private long now = 7;
  private final Readiness readiness = create("blue", "green", "spare");

  private Readiness create(String... names) {
    return new Readiness(
        List.of(names).stream().map(this::cluster).toList(),
        () -> shares,
        () -> minReachablePercent,
        () -> now);
  }

  private UpstreamCluster cluster(String name) {
    return (UpstreamCluster)
        Proxy.newProxyInstance(
            UpstreamCluster.class.getClassLoader(),
            new Class<?>[] {UpstreamCluster.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "name" -> name;
                  case "unavailableReason" -> unavailable.get(name);
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }

  @Test
  void waitForEveryClusterWithTrafficAtFirst() {
    unavailable.put("green", "not heard");
    assertThat(readiness.unavailableReasons()).containsExactly("cluster green: not heard");
    unavailable.clear();
    assertThat(readiness.unavailableReasons()).isEmpty();
  }

  @Test
  void waitForNoClusterWithoutTraffic() {
    unavailable.put("spare", "not heard");
    assertThat(readiness.isReady()).isTrue();
    unavailable.put("blue", "not heard");
    unavailable.remove("spare");
    shares = new TrafficShares(Map.of("blue", 1.0), Set.of("blue"));
    assertThat(readiness.isReady()).as("another cluster does not help").isFalse();
  }

  @Test
  void waitForClustersOfRoutesAtFirst() {
    shares = new TrafficShares(Map.of("blue", 1.0), Set.of("blue", "spare"));
    unavailable.put("spare", "not heard");
    assertThat(readiness.isReady()).isFalse();
    pass(Readiness.MAX_FIRST_WAIT);
    assertThat(readiness.isReady()).as("it gets only what routes say").isTrue();
  }

  @Test
  void waitOnlyForAWhileForASmallCluster() {
    unavailable.put("green", "not heard");
    pass(Readiness.MAX_FIRST_WAIT.minusMillis(1));
    assertThat(readiness.isReady()).isFalse();
    pass(Duration.ofMillis(1));
    assertThat(readiness.isReady()).isTrue();
  }

  @Test
  void stayReadyWithoutASmallCluster() {
    assertThat(readiness.isReady()).isTrue();
    unavailable.put("green", "lost");
    assertThat(readiness.isReady()).isTrue();
  }

  @Test
  void endWithTheClusterOfMostRequests() {
    assertThat(readiness.isReady()).isTrue();
    unavailable.put("blue", "lost");
    assertThat(readiness.unavailableReasons()).containsExactly("cluster blue: lost");
  }

  @Test
  void requireTheConfiguredShare() {
    assertThat(readiness.isReady()).isTrue();
    unavailable.put("green", "lost");
    minReachablePercent = 90;
    assertThat(readiness.isReady()).isTrue();
    minReachablePercent = 100;
    assertThat(readiness.isReady()).isFalse();
    unavailable.remove("green");
    assertThat(readiness.isReady()).isTrue();
  }

  @Test
  void requireOneClusterInAnyCase() {
    pass(Readiness.MAX_FIRST_WAIT);
    minReachablePercent = 0;
    unavailable.put("blue", "lost");
    assertThat(readiness.isReady()).isTrue();
    unavailable.put("green", "lost");
    assertThat(readiness.isReady()).isFalse();
  }

  @Test
  void countEqualSharesExactly() {
    shares =
        new TrafficShares(
            Map.of("blue", 1 / 3.0, "green", 1 / 3.0, "spare", 1 / 3.0),
            Set.of("blue", "green", "spare"));
    pass(Readiness.MAX_FIRST_WAIT);
    minReachablePercent = 100;
    assertThat(readiness.isReady()).isTrue();
  }

  @Test
  void nameNoClusterIfThereIsOne() {
    shares = new TrafficShares(Map.of("blue", 1.0), Set.of("blue"));
    unavailable.put("blue", "not heard");
    assertThat(create("blue").unavailableReasons()).containsExactly("not heard");
  }

  @Test
  void describeEachCluster() {
    unavailable.put("spare", "not heard");
    assertThat(readiness.toMap())
        .containsExactly(
            Map.entry(
                "blue", Map.of("reachable", true, "has_traffic", true, "traffic_percent", 90.0)),
            Map.entry(
                "green", Map.of("reachable", true, "has_traffic", true, "traffic_percent", 10.0)),
            Map.entry(
                "spare",
                Map.of(
                    "reachable",
                    false,
                    "has_traffic",
                    false,
                    "traffic_percent",
                    0.0,
                    "reason",
                    "not heard")));
  }

  private void pass(Duration time) {
    now += time.toNanos();
  }
}
