package dev.weir.bluegreen.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.policy.GatewayPolicy;
import dev.weir.http.proxy.NodeProxy;
import dev.weir.model.RequestHandler;
import dev.weir.model.RequestRouter;
import dev.weir.routing.traffic.IndexRenamer;
import dev.weir.testkit.fixtures.TestPolicies;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

/** Which weight overrides take precedence over the file's weights. */
final class WeightOverrideTest {
  private static final Map<String, Double> HALVES = Map.of("blue", 1.0, "green", 1.0);
  private static final Map<String, Double> BLUE = Map.of("blue", 1.0);
  private static final Map<String, Double> GREEN = Map.of("green", 1.0);

  private static final GatewayPolicy POLICY =
      policy(
          """
          clusters:
            blue: {seeds: ["127.0.0.1:9300"]}
            green: {seeds: ["127.0.0.1:9301"]}
          traffic:
            weights: {blue: 1}
            rollback: {target-cluster: blue, min-requests: 5}
          routes:
            - {name: other, indices: ["o*"], policy: own}
            - {name: like, indices: ["l*"], policy: inheriting}
          policies:
            own: {traffic: {weights: {blue: 1, green: 3}}}
            inheriting: {traffic: {split-by: index}}
          """);

  private final ClusterRouter desk = router(Runnable::run);

  private static ClusterRouter router(Executor rollbacks) {
    return new ClusterRouter(
        POLICY,
        ClusterRouterTest.ready(POLICY),
        List.of(new Named("blue"), new Named("green")),
        () -> 1_000,
        () -> 0,
        rollbacks);
  }

  /** A cluster that receives no request. */
  private record Named(String name) implements UpstreamCluster {
    @Override
    public String unavailableReason() {
      return "not asked for";
    }

    @Override
    public IndexRenamer indexRename() {
      return IndexRenamer.NONE;
    }

    @Override
    public boolean hasNode(String nodeId) {
      return false;
    }

    @Override
    public RequestRouter router() {
      return (method, uri) -> {
        throw new AssertionError("got a request (expected: none)");
      };
    }

    @Override
    public RequestHandler handler() {
      return exchange -> {
        throw new AssertionError("got a request (expected: none)");
      };
    }

    @Override
    public NodeProxy proxy() {
      throw new AssertionError("got a request (expected: none)");
    }
  }

  private static GatewayPolicy policy(String yaml) {
    return TestPolicies.parse(yaml);
  }

  private Map<String, Map<String, Double>> inForce() {
    Map<String, Map<String, Double>> weights = new LinkedHashMap<>();
    desk.plans().forEach(plan -> weights.put(plan.name(), plan.weights()));
    return weights;
  }

  private static Map<String, Map<String, Double>> weights(
      Map<String, Double> whole, Map<String, Double> inheriting, Map<String, Double> own) {
    return Map.of("", whole, "inheriting", inheriting, "own", own);
  }

  @Test
  void reportTheSharesInForce() {
    assertThat(desk.shares())
        .isEqualTo(new TrafficShares(Map.of("blue", 1.0), Set.of("blue", "green")));
    desk.overrideWeights(WeightOverride.SCOPE_DEFAULT, Map.of("blue", 1.0, "green", 3.0), "test");
    assertThat(desk.shares().byDefault()).isEqualTo(Map.of("blue", 0.25, "green", 0.75));
    desk.sendAllTo("green", "test");
    assertThat(desk.shares()).isEqualTo(new TrafficShares(Map.of("green", 1.0), Set.of("green")));
  }

  @Test
  void describeEachChangeOfTheWeights() {
    List<String> changes = new ArrayList<>();
    desk.setChangeListener(changes::add);
    desk.overrideWeights(WeightOverride.SCOPE_DEFAULT, Map.of("blue", 1.0, "green", 3.0), "test");
    desk.sendAllTo("green", "test");
    desk.clearOverrides();
    assertThat(changes)
        .containsExactly(
            "traffic of the whole gateway by admin: blue 25 %, green 75 % (test)",
            "traffic of all policies by admin: green 100 % (test)",
            "the file's weights are in force again");
  }

  @Test
  void applyAGlobalShiftToPoliciesWithTheSameSplit() {
    Map<String, Double> file = Map.of("blue", 1.0, "green", 3.0);
    assertThat(inForce()).isEqualTo(weights(BLUE, BLUE, file));
    desk.overrideWeights(WeightOverride.SCOPE_DEFAULT, HALVES, "test");
    assertThat(inForce()).isEqualTo(weights(HALVES, HALVES, file));
    desk.overrideWeights("inheriting", GREEN, "test");
    assertThat(inForce()).isEqualTo(weights(HALVES, GREEN, file));
    desk.clearOverrides();
    assertThat(inForce()).isEqualTo(weights(BLUE, BLUE, file));
  }

  @Test
  void countAShiftAfterACutOver() {
    desk.overrideWeights("own", HALVES, "test");
    desk.sendAllTo("green", "test");
    assertThat(inForce()).isEqualTo(weights(GREEN, GREEN, GREEN));
    desk.overrideWeights(WeightOverride.SCOPE_DEFAULT, HALVES, "test");
    assertThat(inForce()).isEqualTo(weights(HALVES, HALVES, GREEN));
    desk.overrideWeights("own", BLUE, "test");
    assertThat(inForce()).isEqualTo(weights(HALVES, HALVES, BLUE));
    desk.sendAllTo("blue", "test");
    assertThat(inForce()).isEqualTo(weights(BLUE, BLUE, BLUE));
  }

  @Test
  void errorsAfterACutOverRollItBack() {
    desk.sendAllTo("green", "test");
    TrafficPlan whole = desk.plans().getFirst();
    for (int i = 0; i < 5; i++) {
      whole.destination("green").onRequestEnd(502, true);
    }
    assertThat(desk.budgets().rollbacks()).isOne();
    assertThat(inForce()).isEqualTo(weights(BLUE, BLUE, GREEN));
  }

  /** A rollback compiles all policies, so the event loop of a response only hands it over. */
  @Test
  void rollBackOnceAndNotWhereTheResponseEnds() {
    Queue<Runnable> handedOver = new ArrayDeque<>();
    ClusterRouter router = router(handedOver::add);
    router.sendAllTo("green", "test");
    TrafficPlan whole = router.plans().getFirst();
    for (int i = 0; i < 50; i++) {
      whole.destination("green").onRequestEnd(502, true);
    }
    assertThat(router.plans().getFirst().weights()).as("before the task").isEqualTo(GREEN);
    assertThat(handedOver).hasSize(1);
    handedOver.remove().run();
    assertThat(router.plans().getFirst().weights()).isEqualTo(BLUE);
    assertThat(router.budgets().rollbacks()).isOne();

    router.sendAllTo("green", "test");
    for (int i = 0; i < 50; i++) {
      whole.destination("green").onRequestEnd(502, true);
    }
    router.sendAllTo("blue", "faster than the task");
    handedOver.remove().run();
    assertThat(router.overrides())
        .extractingByKey(WeightOverride.SCOPE_ALL)
        .extracting(WeightOverride::reason)
        .isEqualTo("faster than the task");
    assertThat(router.budgets().rollbacks()).isOne();
  }
}
