package dev.weir.routing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.Phase;
import dev.weir.routing.tail.HedgeTerms;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class HedgingTest {
  private final Bench bench = new Bench(Policies.PLAIN);
  private final Hedging hedging =
      new Hedging(
          bench.tracker, Policies.PLAIN, bench::now, HedgeTerms.of(Policies.PLAIN.hedging()));

  private void warm() {
    for (int i = 0; i < 100; i++) {
      answer("a", 2 + i % 10);
      answer("b", 2 + i % 10);
    }
  }

  private void answer(String node, double millis) {
    NodeLoads.Outstanding sent = bench.send(node);
    hedging.sent(sent);
    bench.pass((long) millis);
    sent.replied(0, (long) (millis * 1e6) + bench.now() % 1000);
    hedging.answered(sent);
  }

  @Test
  void nothingIsLateWhileTheUsualIsUnknown() {
    assertThat(hedging.sent(bench.send("a"))).isEqualTo(-1);
  }

  @Test
  void looksAtARequestAfterTheUsualTime() {
    warm();
    assertThat(hedging.sent(bench.send("a")) / 1e6).isBetween(9.0, 12.5);
  }

  @Test
  void whatIsAsTheStandardSaysIsTheStandards() {
    HedgeTerms terms = HedgeTerms.of(Policies.PLAIN.hedging());
    HedgeTerms sooner = new HedgeTerms(terms.share(), terms.burst(), 0.9, terms.idleShare());
    HedgeTerms own = new HedgeTerms(terms.share(), 2 * terms.burst(), 0.9, terms.idleShare());
    Hedging named =
        hedging.by(Policies.PLAIN, new HedgeTerms(0.5, 1, terms.quantile(), terms.idleShare()));
    warm();
    Hedging inherits = named.by(Policies.PLAIN, terms, hedging);
    assertThat(inherits.sent(bench.send("a")) / 1e6).isBetween(9.0, 12.5);
    NodeLoads.Outstanding late = bench.send("a");
    bench.pass(11);
    assertThat(inherits.goes(late, Bench.copy("b"), false)).isTrue();
    assertThat(inherits.tokens()).isEqualTo(hedging.tokens()).isLessThan(terms.burst());

    Hedging standard = hedging.by(Policies.PLAIN, sooner);
    Hedging later = inherits.by(Policies.PLAIN, own, standard);
    for (int i = 0; i < 100; i++) {
      NodeLoads.Outstanding sent = bench.send("a");
      bench.pass(2 + i % 10);
      sent.replied(0, (2 + i % 10) * 1_000_000L);
      standard.answered(sent);
    }
    assertThat(later.sent(bench.send("a")) / 1e6).as("learned by the standard").isPositive();
    assertThat(later.tokens()).isEqualTo(2 * terms.burst());
  }

  @Test
  void goesOnWithWhatAnotherPolicyLeavesAsItWas() {
    warm();
    NodeLoads.Outstanding late = bench.send("a");
    bench.pass(11);
    assertThat(hedging.goes(late, Bench.copy("b"), false)).isTrue();
    double left = hedging.tokens();
    HedgeTerms terms = HedgeTerms.of(Policies.PLAIN.hedging());
    HedgeTerms sooner = new HedgeTerms(terms.share(), terms.burst(), 0.9, terms.idleShare());
    HedgeTerms more = new HedgeTerms(terms.share(), 2 * terms.burst(), 0.95, terms.idleShare());

    Hedging same = hedging.by(Policies.PLAIN, terms);
    assertThat(same.tokens()).isEqualTo(left);
    assertThat(same.sent(bench.send("a")) / 1e6).isBetween(9.0, 12.5);
    assertThat(hedging.by(Policies.PLAIN, sooner).sent(bench.send("a"))).isEqualTo(-1);
    assertThat(hedging.by(Policies.PLAIN, more).tokens()).isEqualTo(2 * terms.burst());
  }

  @Test
  void aStallIsHedgedAndALateRequestOnlyToAnIdleNode() {
    warm();
    NodeLoads.Outstanding late = bench.send("a");
    hedging.sent(late);
    bench.pass(11);
    assertThat(hedging.goes(late, Bench.copy("b"), false)).isTrue();
    assertThat(hedging.goes(late, Bench.copy("b"), true)).as("requests wait").isFalse();
    for (int i = 0; i < 12; i++) {
      bench.send("b");
    }
    assertThat(hedging.goes(late, Bench.copy("b"), false)).as("b is busy").isFalse();
    bench.pass(40);
    assertThat(hedging.goes(late, Bench.copy("b"), true)).as("a is silent").isTrue();
  }

  @Test
  void aRequestThatExploresTakesATokenToo() {
    warm();
    bench.pass(600);
    NodeLoads.Outstanding exploring = bench.send("a");
    assertThat(exploring.trial()).isEqualTo(NodeLoads.Trial.EXPLORATION);
    double before = hedging.tokens();
    assertThat(hedging.goes(exploring, Bench.copy("b"), true)).as("too much to do").isFalse();
    assertThat(hedging.goes(exploring, Bench.copy("b"), false)).isTrue();
    assertThat(hedging.tokens()).isEqualTo(before - 1);
    while (hedging.tokens() >= 50) {
      assertThat(hedging.goes(exploring, Bench.copy("b"), false)).isTrue();
    }
    assertThat(hedging.goes(exploring, Bench.copy("b"), false)).as("half is kept").isFalse();
  }

  @Test
  void addsNothingToANodeThatHasTooMuchToDo() {
    warm();
    NodeLoads.Outstanding stuck = bench.send("a");
    bench.pass(5000);
    for (int i = 0; i < 5 * Policies.PLAIN.adaptive().threads() + 1; i++) {
      bench.send("b");
    }
    assertThat(hedging.goes(stuck, Bench.copy("b"), false)).isFalse();
    assertThat(hedging.tokens()).isEqualTo(100);
  }

  @Test
  void theBudgetEnds() {
    warm();
    NodeLoads.Outstanding late = bench.send("a");
    bench.pass(5000);
    int sent = 0;
    while (sent < 1000 && hedging.goes(late, Bench.copy("b"), false)) {
      sent++;
    }
    assertThat(sent).isEqualTo(100);
  }

  @Test
  void looksAgainAfterTwiceTheTimeUpToABound() {
    warm();
    NodeLoads.Outstanding late = bench.send("a");
    long least = hedging.againNanos(late, 0);
    List<Double> times = new ArrayList<>();
    long waited = least;
    for (int i = 0; i < 4; i++) {
      waited = hedging.againNanos(late, waited);
      times.add(waited / (double) least);
    }
    assertThat(least).isPositive();
    assertThat(times).containsExactly(2.0, 4.0, 4.0, 4.0);
  }

  @Test
  void anAnswerToASecondRequestDoesNotMakeTheUsualShorter() {
    warm();
    long before = hedging.sent(bench.send("b"));
    for (int i = 0; i < 500; i++) {
      NodeLoads.Outstanding slow = bench.send("a");
      bench.pass(i % 10 == 0 ? 30 : 5);
      hedging.answered(slow);
      slow.abandoned();
    }
    assertThat(hedging.sent(bench.send("b"))).isGreaterThan(before);
  }

  @Test
  void aNodeThatWasGivenUpOnStaysSilentUntilItAnswers() {
    warm();
    NodeLoads.Outstanding stuck = bench.send("a");
    bench.pass(300);
    stuck.abandoned();
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
                .silenceNanos(bench.now(), bench.tracker.awakeSince(bench.now())))
        .isZero();
  }
}
