package dev.weir.routing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.policy.RoutingPolicy;
import dev.weir.config.policy.RoutingPolicy.Algorithm;
import dev.weir.model.Phase;
import dev.weir.model.ShardCopy;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Estimates stay finite and plausible for any reports and events. */
final class NodeLoadTrackerPropertyTest {
  private static final String[] NODES = {"a", "b", "c"};
  private static final Phase[] PHASES = Phase.values();
  private static final long[] ODD = {
    -1, 0, 1, 1_000, 1_000_000, 5_000_000, Long.MAX_VALUE, Long.MIN_VALUE
  };
  private static final int[] ODD_QUEUES = {-1, 0, 0, 0, 1, 5, 1290, 50_000, Integer.MAX_VALUE};

  private final List<NodeLoadRecorder.OutstandingRequest> underWay = new ArrayList<>();
  private SelectorFixture bench = new SelectorFixture(RoutingPolicies.PLAIN);

  private void anything(Random random) {
    String node = NODES[random.nextInt(NODES.length)];
    Phase phase = PHASES[random.nextInt(PHASES.length)];
    int what = random.nextInt(100);
    if (what < 40) {
      underWay.add(bench.tracker.startRequest(node, phase, random.nextInt(40) - 10));
    } else if (what < 75 && !underWay.isEmpty()) {
      settle(underWay.remove(random.nextInt(underWay.size())), random);
    } else if (what < 85) {
      bench.pass(random.nextInt(20));
    } else if (what < 87) {
      bench.pass(random.nextInt(100_000));
    } else if (what < 89) {
      bench.tracker.setThreadCount(node, phase, 1 + random.nextInt(64));
    } else if (what < 91) {
      bench.tracker.forget(node);
    } else if (what < 92) {
      bench.tracker.retainOnly(Set.of(node));
    } else if (what < 94) {
      bench.tracker.recordHeartbeat();
    } else if (what < 96) {
      Algorithm[] all = Algorithm.values();
      bench.use(RoutingPolicies.of(all[random.nextInt(all.length)], random.nextDouble()));
    }
  }

  private static void settle(NodeLoadRecorder.OutstandingRequest one, Random random) {
    int queue = ODD_QUEUES[random.nextInt(ODD_QUEUES.length)];
    long service =
        random.nextBoolean() ? ODD[random.nextInt(ODD.length)] : random.nextInt(9_999_999);
    switch (random.nextInt(9)) {
      case 0 -> one.onAbandon();
      case 2 -> one.onResponseWithoutStats();
      case 1 ->
          one.onFailure(
              NodeLoadRecorder.Failure.values()[
                  random.nextInt(NodeLoadRecorder.Failure.values().length)]);
      default -> one.onResponse(queue, service);
    }
    one.onResponse(queue, service); // only the first outcome counts
    one.onAbandon();
  }

  private void check(Algorithm policy) {
    bench.use(RoutingPolicies.of(policy, 0.05));
    for (Phase phase : PHASES) {
      for (int costClass : new int[] {0, 3, 15}) {
        List<ShardCopy> copies = SelectorFixture.copies(NODES);
        RankingExplanation why = bench.selector.explain(copies, phase, costClass);
        for (RankingExplanation.Candidate candidate : why.candidates()) {
          assertThat(candidate.score()).isFinite().isNotNegative();
          candidate.terms().forEach(term -> assertThat(term.value()).as(term.name()).isFinite());
        }
        assertThat(bench.selector.order(copies, phase, costClass))
            .containsExactlyInAnyOrderElementsOf(copies);
      }
    }
    for (NodeLoadSnapshot view : bench.tracker.snapshots()) {
      NodeLoad load = view.load();
      assertThat(load.outstanding()).isNotNegative();
      for (double number :
          new double[] {
            load.responseNanos(), load.serviceNanos(), load.queueSize(), load.errorRate()
          }) {
        assertThat(number).isFinite().isNotNegative();
      }
      assertThat(load.errorRate()).isLessThanOrEqualTo(1);
    }
  }

  @ParameterizedTest
  @EnumSource(Algorithm.class)
  void estimatesStayFiniteAndOrdersWhole(Algorithm policy) {
    Random random = new Random(policy.ordinal());
    for (int step = 0; step < 6_000; step++) {
      anything(random);
      if (step % 50 == 0) {
        check(policy);
      }
    }
    underWay.forEach(one -> one.onResponse(0, 1_000_000));
    assertThat(bench.tracker.outstanding()).isZero();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void findTheFastNodeAfterAnyHistory(long seed) {
    Random random = new Random(seed);
    for (int step = 0; step < 3_000; step++) {
      anything(random);
    }
    underWay.forEach(NodeLoadRecorder.OutstandingRequest::onAbandon);
    bench.use(RoutingPolicies.PLAIN);
    for (String node : NODES) {
      bench.tracker.setThreadCount(node, Phase.QUERY, 13);
    }
    bench.pass(60_000);
    for (int i = 0; i < 300; i++) {
      bench.answer("a", 50, 0, 50 + i * 1e-3);
      bench.answer("b", 2, 0, 2 + i * 1e-3);
      bench.answer("c", 50, 0, 50.5 + i * 1e-3);
    }
    assertThat(bench.first("a", "b", "c")).isEqualTo("b");
  }

  @ParameterizedTest
  @EnumSource(RoutingPolicy.Algorithm.class)
  void tolerateAnEmptyHistory(Algorithm policy) {
    bench = new SelectorFixture(RoutingPolicies.PLAIN);
    check(policy);
  }
}
