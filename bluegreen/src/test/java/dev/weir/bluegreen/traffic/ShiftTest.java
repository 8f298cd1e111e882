package dev.weir.bluegreen.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.load.LoadResult;
import dev.weir.config.load.PolicyLoader;
import dev.weir.config.policy.GatewayPolicy;
import dev.weir.http.proxy.NodeProxy;
import dev.weir.model.RequestHandler;
import dev.weir.model.RequestRouter;
import dev.weir.routing.traffic.IndexRename;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Weights that stand in for the file's: which of them count. */
final class ShiftTest {
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
            rollback: {to: blue, min-requests: 5}
          routes:
            - {name: other, indices: ["o*"], policy: own}
            - {name: like, indices: ["l*"], policy: inheriting}
          policies:
            own: {traffic: {weights: {blue: 1, green: 3}}}
            inheriting: {traffic: {split-by: index}}
          """);

  private final TrafficDesk desk =
      new TrafficDesk(
          POLICY,
          TrafficDeskTest.ready(POLICY),
          List.of(new Named("blue"), new Named("green")),
          TrafficDesk.ReadWatcher.NONE,
          () -> 1_000,
          () -> 0);

  /** A cluster that is asked for nothing. */
  private record Named(String name) implements Cluster {
    @Override
    public String missing() {
      return "not asked for";
    }

    @Override
    public IndexRename rename() {
      return IndexRename.NONE;
    }

    @Override
    public boolean has(String nodeId) {
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
    return switch (new PolicyLoader(Map.of()).parse("test.yaml", yaml)) {
      case LoadResult.Loaded(GatewayPolicy policy, _) -> policy;
      case LoadResult.Refused refused -> throw new AssertionError(refused.render());
    };
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
  void aShiftOfTheWholeGatewayIsOneOfPoliciesThatSplitAlike() {
    Map<String, Double> file = Map.of("blue", 1.0, "green", 3.0);
    assertThat(inForce()).isEqualTo(weights(BLUE, BLUE, file));
    desk.shift(Shift.STANDARD, HALVES, "test");
    assertThat(inForce()).isEqualTo(weights(HALVES, HALVES, file));
    desk.shift("inheriting", GREEN, "test");
    assertThat(inForce()).isEqualTo(weights(HALVES, GREEN, file));
    desk.reset();
    assertThat(inForce()).isEqualTo(weights(BLUE, BLUE, file));
  }

  @Test
  void aShiftAfterACutOverCounts() {
    desk.shift("own", HALVES, "test");
    desk.cutOver("green", "test");
    assertThat(inForce()).isEqualTo(weights(GREEN, GREEN, GREEN));
    desk.shift(Shift.STANDARD, HALVES, "test");
    assertThat(inForce()).isEqualTo(weights(HALVES, HALVES, GREEN));
    desk.shift("own", BLUE, "test");
    assertThat(inForce()).isEqualTo(weights(HALVES, HALVES, BLUE));
    desk.cutOver("blue", "test");
    assertThat(inForce()).isEqualTo(weights(BLUE, BLUE, BLUE));
  }

  @Test
  void errorsAfterACutOverRollItBack() {
    desk.cutOver("green", "test");
    Plan whole = desk.plans().getFirst();
    for (int i = 0; i < 5; i++) {
      whole.way("green").over(500);
    }
    assertThat(desk.budgets().rolledBack()).isOne();
    assertThat(inForce()).isEqualTo(weights(BLUE, BLUE, GREEN));
  }
}
