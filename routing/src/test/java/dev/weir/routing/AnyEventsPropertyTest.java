package dev.weir.routing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.policy.RoutingPolicy;
import dev.weir.config.policy.RoutingPolicy.Choice;
import dev.weir.model.Phase;
import dev.weir.model.ShardCopy;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever is reported and whatever happens, what is thought of nodes stays finite and sane. */
final class AnyEventsPropertyTest {
  private static final String[] NODES = {"a", "b", "c"};
  private static final Phase[] PHASES = Phase.values();
  private static final long[] ODD = {
    -1, 0, 1, 1_000, 1_000_000, 5_000_000, Long.MAX_VALUE, Long.MIN_VALUE
  };
  private static final int[] ODD_QUEUES = {-1, 0, 0, 0, 1, 5, 1290, 50_000, Integer.MAX_VALUE};

  private final List<NodeLoads.Outstanding> underWay = new ArrayList<>();
  private Bench bench = new Bench(Policies.PLAIN);

  private void anything(Random random) {
    String node = NODES[random.nextInt(NODES.length)];
    Phase phase = PHASES[random.nextInt(PHASES.length)];
    int what = random.nextInt(100);
    if (what < 40) {
      underWay.add(bench.tracker.begin(node, phase, random.nextInt(40) - 10));
    } else if (what < 75 && !underWay.isEmpty()) {
      settle(underWay.remove(random.nextInt(underWay.size())), random);
    } else if (what < 85) {
      bench.pass(random.nextInt(20));
    } else if (what < 87) {
      bench.pass(random.nextInt(100_000));
    } else if (what < 89) {
      bench.tracker.threads(node, phase, 1 + random.nextInt(64));
    } else if (what < 91) {
      bench.tracker.forget(node);
    } else if (what < 92) {
      bench.tracker.retainOnly(Set.of(node));
    } else if (what < 94) {
      bench.tracker.heartbeat();
    } else if (what < 96) {
      bench.use(Policies.of(Choice.values()[random.nextInt(5)], random.nextDouble()));
    }
  }

  private static void settle(NodeLoads.Outstanding one, Random random) {
    int queue = ODD_QUEUES[random.nextInt(ODD_QUEUES.length)];
    long service =
        random.nextBoolean() ? ODD[random.nextInt(ODD.length)] : random.nextInt(9_999_999);
    switch (random.nextInt(9)) {
      case 0 -> one.abandoned();
      case 2 -> one.answered();
      case 1 ->
          one.failed(NodeLoads.Failure.values()[random.nextInt(NodeLoads.Failure.values().length)]);
      default -> one.replied(queue, service);
    }
    one.replied(queue, service); // the first to be called counts
    one.abandoned();
  }

  private void check(Choice policy) {
    bench.use(Policies.of(policy, 0.05));
    for (Phase phase : PHASES) {
      for (int costClass : new int[] {0, 3, 15}) {
        List<ShardCopy> copies = Bench.copies(NODES);
        Explanation why = bench.selector.explain(copies, phase, costClass);
        for (Explanation.Candidate candidate : why.candidates()) {
          assertThat(candidate.score()).isFinite();
          if (policy != Choice.STOCK) {
            assertThat(candidate.score()).isNotNegative();
          }
          candidate.terms().forEach(term -> assertThat(term.value()).as(term.name()).isFinite());
        }
        assertThat(bench.selector.order(copies, phase, costClass))
            .containsExactlyInAnyOrderElementsOf(copies);
      }
    }
    for (LoadView view : bench.tracker.views()) {
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
  @EnumSource(Choice.class)
  void estimatesStayFiniteAndOrdersWhole(Choice policy) {
    Random random = new Random(policy.ordinal());
    for (int step = 0; step < 6_000; step++) {
      anything(random);
      if (step % 50 == 0) {
        check(policy);
      }
    }
    underWay.forEach(one -> one.replied(0, 1_000_000));
    assertThat(bench.tracker.outstanding()).isZero();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void afterWhateverWasItFindsTheQuickNodeAgain(long seed) {
    Random random = new Random(seed);
    for (int step = 0; step < 3_000; step++) {
      anything(random);
    }
    underWay.forEach(NodeLoads.Outstanding::abandoned);
    bench.use(Policies.PLAIN);
    for (String node : NODES) {
      bench.tracker.threads(node, Phase.QUERY, 13);
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
  @EnumSource(RoutingPolicy.Choice.class)
  void nothingKnownIsNoTrouble(Choice policy) {
    bench = new Bench(Policies.PLAIN);
    check(policy);
  }
}
