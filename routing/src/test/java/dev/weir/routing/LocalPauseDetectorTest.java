package dev.weir.routing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.Phase;
import dev.weir.routing.tail.HedgeSettings;
import org.junit.jupiter.api.Test;

final class LocalPauseDetectorTest {
  private final SelectorFixture bench = new SelectorFixture(RoutingPolicies.PLAIN);

  private void beat(int times) {
    for (int i = 0; i < times; i++) {
      bench.tracker.recordHeartbeat();
      bench.pass(100);
    }
  }

  private long ejected() {
    return bench.tracker.snapshots().stream().filter(v -> v.health().ejected()).count();
  }

  @Test
  void ejectNoNodeForTimeoutsOfAPausedGateway() {
    beat(5);
    for (int i = 0; i < 10; i++) {
      NodeLoadRecorder.OutstandingRequest a = bench.send("a");
      NodeLoadRecorder.OutstandingRequest b = bench.send("b");
      bench.pass(2000);
      a.onFailure(NodeLoadRecorder.Failure.TIMEOUT);
      b.onFailure(NodeLoadRecorder.Failure.TIMEOUT);
      bench.tracker.recordHeartbeat();
    }
    assertThat(ejected()).isZero();
  }

  @Test
  void timeoutsOfANodeEjectItWhileTheGatewayRuns() {
    for (int i = 0; i < 3; i++) {
      NodeLoadRecorder.OutstandingRequest a = bench.send("a");
      beat(20);
      a.onFailure(NodeLoadRecorder.Failure.TIMEOUT);
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
    bench.tracker.recordHeartbeat();
    assertThat(silence("a")).isZero();
    beat(5);
    assertThat(silence("a")).isPositive();
  }

  @Test
  void ignoreLatenciesMeasuredAcrossAPause() {
    bench.warm("a", 2);
    beat(2);
    double before = response("a");
    NodeLoadRecorder.OutstandingRequest unread = bench.send("a");
    bench.pass(3000);
    bench.tracker.recordHeartbeat();
    unread.onResponse(0, 2_000_040);
    assertThat(response("a")).isLessThan(1.5 * before);
  }

  @Test
  void hedgeNothingThatALocalPauseDelayed() {
    HedgePlanner hedging =
        new HedgePlanner(
            bench.tracker,
            RoutingPolicies.PLAIN,
            bench::now,
            HedgeSettings.of(RoutingPolicies.PLAIN.hedging()));
    bench.warm("a", 5);
    bench.warm("b", 2);
    beat(2);
    NodeLoadRecorder.OutstandingRequest open = bench.send("a");
    bench.pass(3000);
    bench.tracker.recordHeartbeat();
    assertThat(hedging.tryHedge(open, SelectorFixture.copy("b"), false)).isFalse();
    beat(3);
    NodeLoadRecorder.OutstandingRequest late = bench.send("a");
    beat(3);
    assertThat(hedging.tryHedge(late, SelectorFixture.copy("b"), false))
        .as("while this process runs")
        .isTrue();
  }

  private double response(String node) {
    return bench.tracker.state(node, Phase.QUERY).c3Averages().responseNanos();
  }

  private double silence(String node) {
    return bench
        .tracker
        .state(node, Phase.QUERY)
        .silenceNanos(bench.now(), bench.tracker.lastPauseEndNanos(bench.now()));
  }
}
