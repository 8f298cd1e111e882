package dev.weir.bluegreen.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bluegreen.traffic.ClusterRouterTest.FakeCluster;
import dev.weir.config.policy.GatewayPolicy;
import dev.weir.testkit.fixtures.TestRequestHead;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What holds after a changed configuration is reverted. */
class RevertedReloadTest {
  private static ClusterRouter router(String yaml) {
    GatewayPolicy policy = ClusterRouterTest.policy(yaml);
    return new ClusterRouter(
        policy,
        ClusterRouterTest.ready(policy),
        List.of(new FakeCluster("blue"), new FakeCluster("green")),
        () -> 0,
        () -> 0,
        Runnable::run);
  }

  private static ClusterRouter.PreparedPolicy prepare(ClusterRouter router, String yaml) {
    GatewayPolicy changed = ClusterRouterTest.policy(yaml);
    return router.prepare(changed, ClusterRouterTest.ready(changed));
  }

  private static ClusterDestination read(ClusterRouter router) {
    return (ClusterDestination) router.select(TestRequestHead.of("GET", "/logs/_search"));
  }

  /** A shift or a rollback that comes before or after the commit holds when the reload fails. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void keepAShift(boolean beforeCommit) {
    String file = "traffic: {weights: {blue: 1}}\n";
    ClusterRouter router = router(file);
    ClusterRouter.PreparedPolicy reload = prepare(router, file + "routing: {algorithm: c3}\n");
    if (beforeCommit) {
      router.sendAllTo("green", "why");
    }
    reload.commit();
    if (!beforeCommit) {
      router.sendAllTo("green", "why");
    }
    reload.revert();
    assertThat(router.overrides()).containsOnlyKeys(WeightOverride.SCOPE_ALL);
    assertThat(read(router).cluster().name()).isEqualTo("green");
  }

  @Test
  void restoreNothingWithoutACommit() {
    ClusterRouter router = router("traffic: {weights: {blue: 1}}\n");
    ClusterRouter.PreparedPolicy reload = prepare(router, "traffic: {weights: {green: 1}}\n");
    router.sendAllTo("green", "why");
    reload.revert();
    assertThat(read(router).cluster().name()).isEqualTo("green");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void countTheRequestsOfARestoredPolicy(boolean shifted) {
    ClusterRouter router =
        router(
            """
            routes: [{name: logs, indices: [logs], policy: own}]
            policies: {own: {traffic: {weights: {blue: 1}}}}
            """);
    read(router).onRequestEnd(200, false);
    ClusterRouter.PreparedPolicy reload = prepare(router, "");
    reload.commit();
    assertThat(requests(router)).doesNotContainKey("blue own");
    if (shifted) {
      router.overrideWeights(WeightOverride.SCOPE_DEFAULT, Map.of("green", 1.0), "why");
    }
    reload.revert();
    read(router).onRequestEnd(200, false);
    assertThat(requests(router)).containsEntry("blue own", 2L);
  }

  private static Map<String, Long> requests(ClusterRouter router) {
    return router.counts().stream()
        .collect(
            Collectors.toMap(
                count -> count.cluster() + " " + count.policy(), TrafficCounts::requests));
  }
}
