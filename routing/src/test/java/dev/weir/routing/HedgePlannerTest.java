package dev.weir.routing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.Phase;
import dev.weir.model.ShardCopy;
import dev.weir.routing.tail.HedgeSettings;
import dev.weir.routing.tail.RestartPermit;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class HedgePlannerTest {
  private final SelectorFixture bench = new SelectorFixture(RoutingPolicies.PLAIN);
  private final HedgePlanner hedging =
      new HedgePlanner(
          bench.tracker,
          RoutingPolicies.PLAIN,
          bench::now,
          HedgeSettings.of(RoutingPolicies.PLAIN.hedging()));

  private void warm() {
    for (int i = 0; i < 100; i++) {
      answer("a", 2 + i % 10);
      answer("b", 2 + i % 10);
    }
  }

  private void answer(String node, double millis) {
    NodeLoadRecorder.OutstandingRequest sent = bench.send(node);
    hedging.onFirstSent(sent);
    bench.pass((long) millis);
    sent.onResponse(0, (long) (millis * 1e6) + bench.now() % 1000);
    hedging.onResponse(sent);
  }

  @Test
  void hedgeNothingWithoutLatencySamples() {
    assertThat(hedging.onFirstSent(bench.send("a"))).isEqualTo(-1);
  }

  @Test
  void looksAtARequestAfterTheUsualTime() {
    warm();
    assertThat(hedging.onFirstSent(bench.send("a")) / 1e6).isBetween(9.0, 12.5);
  }

  @Test
  void shareTheStandardPlannerForStandardSettings() {
    HedgeSettings terms = HedgeSettings.of(RoutingPolicies.PLAIN.hedging());
    HedgeSettings sooner = new HedgeSettings(terms.share(), terms.burst(), 0.9, terms.idleShare());
    HedgeSettings own = new HedgeSettings(terms.share(), 2 * terms.burst(), 0.9, terms.idleShare());
    HedgePlanner named =
        hedging.withPolicy(
            RoutingPolicies.PLAIN, new HedgeSettings(0.5, 1, terms.quantile(), terms.idleShare()));
    warm();
    HedgePlanner inherits = named.withPolicy(RoutingPolicies.PLAIN, terms, hedging);
    assertThat(inherits.onFirstSent(bench.send("a")) / 1e6).isBetween(9.0, 12.5);
    NodeLoadRecorder.OutstandingRequest late = bench.send("a");
    bench.pass(11);
    assertThat(inherits.tryHedge(late, SelectorFixture.copy("b"), false)).isTrue();
    assertThat(inherits.tokens()).isEqualTo(hedging.tokens()).isLessThan(terms.burst());

    HedgePlanner standard = hedging.withPolicy(RoutingPolicies.PLAIN, sooner);
    HedgePlanner later = inherits.withPolicy(RoutingPolicies.PLAIN, own, standard);
    for (int i = 0; i < 100; i++) {
      NodeLoadRecorder.OutstandingRequest sent = bench.send("a");
      bench.pass(2 + i % 10);
      sent.onResponse(0, (2 + i % 10) * 1_000_000L);
      standard.onResponse(sent);
    }
    assertThat(later.onFirstSent(bench.send("a")) / 1e6).as("learned by the standard").isPositive();
    assertThat(later.tokens()).isEqualTo(2 * terms.burst());
  }

  @Test
  void keepStateAcrossAnEquivalentPolicy() {
    warm();
    NodeLoadRecorder.OutstandingRequest late = bench.send("a");
    bench.pass(11);
    assertThat(hedging.tryHedge(late, SelectorFixture.copy("b"), false)).isTrue();
    double left = hedging.tokens();
    HedgeSettings terms = HedgeSettings.of(RoutingPolicies.PLAIN.hedging());
    HedgeSettings sooner = new HedgeSettings(terms.share(), terms.burst(), 0.9, terms.idleShare());
    HedgeSettings more =
        new HedgeSettings(terms.share(), 2 * terms.burst(), 0.95, terms.idleShare());

    HedgePlanner same = hedging.withPolicy(RoutingPolicies.PLAIN, terms);
    assertThat(same.tokens()).isEqualTo(left);
    assertThat(same.onFirstSent(bench.send("a")) / 1e6).isBetween(9.0, 12.5);
    assertThat(hedging.withPolicy(RoutingPolicies.PLAIN, sooner).onFirstSent(bench.send("a")))
        .isEqualTo(-1);
    assertThat(hedging.withPolicy(RoutingPolicies.PLAIN, more).tokens())
        .isEqualTo(2 * terms.burst());
  }

  @Test
  void hedgeStallsAndLateRequestsOnlyToAnIdleNode() {
    warm();
    NodeLoadRecorder.OutstandingRequest late = bench.send("a");
    hedging.onFirstSent(late);
    bench.pass(11);
    assertThat(hedging.tryHedge(late, SelectorFixture.copy("b"), false)).isTrue();
    assertThat(hedging.tryHedge(late, SelectorFixture.copy("b"), true))
        .as("requests wait")
        .isFalse();
    for (int i = 0; i < 12; i++) {
      bench.send("b");
    }
    assertThat(hedging.tryHedge(late, SelectorFixture.copy("b"), false)).as("b is busy").isFalse();
    bench.pass(40);
    assertThat(hedging.tryHedge(late, SelectorFixture.copy("b"), true)).as("a is silent").isTrue();
  }

  @Test
  void takeATokenForExploration() {
    warm();
    bench.pass(600);
    NodeLoadRecorder.OutstandingRequest exploring = bench.send("a");
    assertThat(exploring.trialReason()).isEqualTo(NodeLoadRecorder.TrialReason.EXPLORATION);
    double before = hedging.tokens();
    assertThat(hedging.tryHedge(exploring, SelectorFixture.copy("b"), true))
        .as("too much to do")
        .isFalse();
    assertThat(hedging.tryHedge(exploring, SelectorFixture.copy("b"), false)).isTrue();
    assertThat(hedging.tokens()).isEqualTo(before - 1);
    while (hedging.tokens() >= 50) {
      assertThat(hedging.tryHedge(exploring, SelectorFixture.copy("b"), false)).isTrue();
    }
    assertThat(hedging.tryHedge(exploring, SelectorFixture.copy("b"), false))
        .as("half is kept")
        .isFalse();
  }

  @Test
  void addsNothingToANodeThatHasTooMuchToDo() {
    warm();
    NodeLoadRecorder.OutstandingRequest stuck = bench.send("a");
    bench.pass(5000);
    for (int i = 0; i < 5 * RoutingPolicies.PLAIN.adaptive().defaultSearchThreads() + 1; i++) {
      bench.send("b");
    }
    assertThat(hedging.tryHedge(stuck, SelectorFixture.copy("b"), false)).isFalse();
    assertThat(hedging.tokens()).isEqualTo(100);
  }

  @Test
  void stopWhenTheBudgetIsSpent() {
    warm();
    NodeLoadRecorder.OutstandingRequest late = bench.send("a");
    bench.pass(5000);
    int sent = 0;
    while (sent < 1000 && hedging.tryHedge(late, SelectorFixture.copy("b"), false)) {
      sent++;
    }
    assertThat(sent).isEqualTo(100);
  }

  @Test
  void tellAStalledNodeFromASlowOne() {
    warm();
    NodeLoadRecorder.OutstandingRequest only = bench.send("a");
    double delay = hedging.stallCheckDelayNanos(only) / 1e6;
    assertThat(delay).as("three times the expected time").isBetween(15.0, 40.0);
    bench.pass((long) delay - 1);
    assertThat(hedging.isStalled(only)).isFalse();
    NodeLoadRecorder.OutstandingRequest another = bench.send("a");
    another.onResponse(0, 5_000_000);
    bench.pass(2);
    assertThat(hedging.isStalled(only)).as("the node responds to others").isFalse();
    bench.pass((long) delay);
    assertThat(hedging.isStalled(only)).isTrue();
  }

  @Test
  void noticeAStalledNodeAfterAPauseOfThisProcess() {
    warm();
    bench.tracker.recordHeartbeat();
    NodeLoadRecorder.OutstandingRequest only = bench.send("a");
    bench.pass(500);
    bench.tracker.recordHeartbeat();
    assertThat(hedging.isStalled(only)).as("just after the pause").isFalse();
    assertThat(hedging.tryHedge(only, SelectorFixture.copy("b"), false)).isFalse();
    for (int i = 0; i < 3; i++) {
      bench.pass(100);
      bench.tracker.recordHeartbeat();
    }
    assertThat(hedging.isStalled(only)).as("the node stays silent").isTrue();
    assertThat(hedging.tryHedge(only, SelectorFixture.copy("b"), false)).isTrue();
  }

  @Test
  void giveANodeThatNeverRespondedASecond() {
    assertThat(hedging.stallCheckDelayNanos(bench.send("a"))).isEqualTo(1_000_000_000);
  }

  @Test
  void takeATokenForEachShardOfASearchThatStartsOver() {
    assertThat(hedging.tryRestart(1000)).as("half of the burst").isEqualTo(RestartPermit.PAID);
    assertThat(hedging.tokens()).isEqualTo(50);
    for (int i = 0; i < 2000; i++) {
      hedging.onFirstSent(bench.send("a"));
    }
    assertThat(hedging.tryRestart(30)).isEqualTo(RestartPermit.PAID);
    assertThat(hedging.tokens()).isEqualTo(70);
  }

  @Test
  void letSearchesStartOverInTurnWithoutTokens() {
    assertThat(hedging.tryRestart(50)).isEqualTo(RestartPermit.PAID);
    List<RestartPermit> permits = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      permits.add(hedging.tryRestart(30));
    }
    assertThat(permits).doesNotContainNull().doesNotContain(RestartPermit.PAID);
    assertThat(hedging.tokens()).as("for hedged requests").isEqualTo(50);
    assertThat(hedging.tryRestart(1)).isNull();
    permits.getFirst().end();
    permits.getFirst().end();
    assertThat(hedging.tryRestart(1)).isNotNull();
    assertThat(hedging.tryRestart(1)).as("a place is left once").isNull();
  }

  @Test
  void refundAHedgedRequestThatIsAnsweredDuringTheStall() {
    warm();
    NodeLoadRecorder.OutstandingRequest stalled = bench.send("a");
    bench.pass(5000);
    double before = hedging.tokens();
    assertThat(hedging.tryHedge(stalled, SelectorFixture.copy("b"), false)).isTrue();
    hedging.onHedgeWon(stalled);
    assertThat(hedging.tokens()).isEqualTo(before);
    assertThat(hedging.tryHedge(stalled, SelectorFixture.copy("b"), false)).isTrue();
    bench.send("a").onResponse(0, 5_000_000);
    hedging.onHedgeWon(stalled);
    assertThat(hedging.tokens()).as("the node responds").isEqualTo(before - 1);
  }

  @Test
  void noticeAStalledNodeBehindALongQueue() {
    warm();
    double alone = hedging.stallCheckDelayNanos(bench.send("a"));
    for (int i = 0; i < 300; i++) {
      bench.send("a");
    }
    NodeLoadRecorder.OutstandingRequest last = bench.send("a");
    assertThat((double) hedging.stallCheckDelayNanos(last))
        .as("the time of its turn in a pool of 13 threads")
        .isBetween(2 * alone, 30 * alone);
    bench.pass(hedging.stallCheckDelayNanos(last) / 1_000_000 + 1);
    assertThat(hedging.isStalled(last)).isTrue();
  }

  @Test
  void expectNoResponseFromASilentNode() {
    warm();
    assertThat(hedging.canRespond("a")).isTrue();
    bench.send("a");
    assertThat(hedging.canRespond("a")).isTrue();
    bench.pass(5000);
    assertThat(hedging.canRespond("a")).isFalse();
    assertThat(hedging.canRespond("b")).isTrue();
  }

  @Test
  void goOnWithoutTokensWhileEverythingWaits() {
    warm();
    NodeLoadRecorder.OutstandingRequest late = bench.send("a");
    bench.pass(5000);
    ShardCopy other = SelectorFixture.copy("b");
    int sent = 0;
    while (sent < 1000 && hedging.tryHedge(late, other, false)) {
      sent++;
    }
    bench.pass(100);
    assertThat(hedging.tryHedge(late, other, false)).as("nothing goes on").isTrue();
    assertThat(hedging.tryHedge(late, other, false)).isFalse();
    bench.pass(100);
    assertThat(hedging.tryRestart(30)).isNotNull();
    bench.pass(90);
    hedging.onFirstSent(bench.send("b"));
    bench.pass(90);
    assertThat(hedging.tryHedge(late, other, false)).as("other requests go on").isFalse();
    bench.pass(10);
    assertThat(hedging.tryHedge(late, other, false)).isTrue();
  }

  @Test
  void looksAgainAfterTwiceTheTimeUpToABound() {
    warm();
    NodeLoadRecorder.OutstandingRequest late = bench.send("a");
    long least = hedging.recheckDelayNanos(late, 0);
    List<Double> times = new ArrayList<>();
    long waited = least;
    for (int i = 0; i < 4; i++) {
      waited = hedging.recheckDelayNanos(late, waited);
      times.add(waited / (double) least);
    }
    assertThat(least).isPositive();
    assertThat(times).containsExactly(2.0, 4.0, 4.0, 4.0);
  }

  @Test
  void ignoreHedgedResponsesInTheUsualLatency() {
    warm();
    long before = hedging.onFirstSent(bench.send("b"));
    for (int i = 0; i < 500; i++) {
      NodeLoadRecorder.OutstandingRequest slow = bench.send("a");
      bench.pass(i % 10 == 0 ? 30 : 5);
      hedging.onResponse(slow);
      slow.onAbandon();
    }
    assertThat(hedging.onFirstSent(bench.send("b"))).isGreaterThan(before);
  }

  @Test
  void treatAGivenUpNodeAsSilentUntilItAnswers() {
    warm();
    NodeLoadRecorder.OutstandingRequest stuck = bench.send("a");
    bench.pass(300);
    stuck.onAbandon();
    assertThat(bench.first("a", "b")).isEqualTo("b");
    bench.pass(100);
    assertThat(bench.first("a", "b")).isEqualTo("b");
    bench.answer("a", 2, 0, 2);
    bench.answer("a", 2, 0, 2.1);
    bench.send("b");
    assertThat(
            bench
                .tracker
                .state("a", Phase.QUERY)
                .silenceNanos(bench.now(), bench.tracker.lastPauseEndNanos(bench.now())))
        .isZero();
  }
}
