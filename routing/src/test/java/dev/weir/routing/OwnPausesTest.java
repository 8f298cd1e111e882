package dev.weir.routing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.Phase;
import dev.weir.routing.tail.HedgeTerms;
import org.junit.jupiter.api.Test;

final class OwnPausesTest {
  private final Bench bench = new Bench(Policies.PLAIN);

  private void beat(int times) {
    for (int i = 0; i < times; i++) {
      bench.tracker.heartbeat();
      bench.pass(100);
    }
  }

  private long ejected() {
    return bench.tracker.views().stream().filter(v -> v.trust().ejected()).count();
  }

  @Test
  void timeoutsOfAPausedGatewayEjectNobody() {
    beat(5);
    for (int i = 0; i < 10; i++) {
      NodeLoads.Outstanding a = bench.send("a");
      NodeLoads.Outstanding b = bench.send("b");
      bench.pass(2000);
      a.failed(NodeLoads.Failure.TIMEOUT);
      b.failed(NodeLoads.Failure.TIMEOUT);
      bench.tracker.heartbeat();
    }
    assertThat(ejected()).isZero();
  }

  @Test
  void timeoutsOfANodeEjectItWhileTheGatewayRuns() {
    for (int i = 0; i < 3; i++) {
      NodeLoads.Outstanding a = bench.send("a");
      beat(20);
      a.failed(NodeLoads.Failure.TIMEOUT);
    }
    assertThat(ejected()).isEqualTo(1);
  }

  @Test
  void silenceDuringAPauseIsNotTheNodes() {
    bench.warm("a", 2);
    bench.warm("b", 2);
    beat(2);
    bench.send("a");
    bench.send("b");
    bench.send("b");
    bench.pass(3000);
    bench.tracker.heartbeat();
    assertThat(silence("a")).isZero();
    beat(5);
    assertThat(silence("a")).isPositive();
  }

  @Test
  void whatLayUnreadDuringAPauseTaughtNothing() {
    bench.warm("a", 2);
    beat(2);
    double before = response("a");
    NodeLoads.Outstanding unread = bench.send("a");
    bench.pass(3000);
    bench.tracker.heartbeat();
    unread.replied(0, 2_000_040);
    assertThat(response("a")).isLessThan(1.5 * before);
  }

  @Test
  void noSecondRequestIsSentForWhatAPauseMadeLate() {
    Hedging hedging =
        new Hedging(
            bench.tracker, Policies.PLAIN, bench::now, HedgeTerms.of(Policies.PLAIN.hedging()));
    bench.warm("a", 5);
    bench.warm("b", 2);
    beat(2);
    NodeLoads.Outstanding open = bench.send("a");
    bench.pass(3000);
    bench.tracker.heartbeat();
    assertThat(hedging.goes(open, Bench.copy("b"), false)).isFalse();
    beat(3);
    NodeLoads.Outstanding late = bench.send("a");
    beat(3);
    assertThat(hedging.goes(late, Bench.copy("b"), false)).as("while this process runs").isTrue();
  }

  private double response(String node) {
    return bench.tracker.state(node, Phase.QUERY).timings().responseNanos();
  }

  private double silence(String node) {
    return bench
        .tracker
        .state(node, Phase.QUERY)
        .silenceNanos(bench.now(), bench.tracker.awakeSince(bench.now()));
  }
}
