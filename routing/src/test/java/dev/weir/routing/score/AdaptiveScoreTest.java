package dev.weir.routing.score;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.junit.jupiter.api.Test;

final class AdaptiveScoreTest {
  private final AdaptiveScore score = new AdaptiveScore(4, 20);

  /** k = 13, freshness from 0 to 1. */
  private double at(double[] x) {
    double service = x[0];
    int own = (int) Math.min(x[1], Integer.MAX_VALUE);
    double fresh = AdaptiveScore.freshness(1e6, Math.min(service, 1e7));
    double load = AdaptiveScore.load(own, x[2], x[3], Math.min(own, 3), 13, fresh);
    double expected = AdaptiveScore.expectedNanos(service, 1, load, 13, x[4]);
    return score.of(expected, x[5], Math.min(1, x[6] / 1e12));
  }

  @Test
  void expectAboutTheServiceTimeOfAnIdleNode() {
    assertThat(AdaptiveScore.expectedNanos(2e6, 1, 0, 13, 0)).isCloseTo(2e6, within(2e4));
    assertThat(AdaptiveScore.expectedNanos(2e6, 1, 12, 13, 0)).isCloseTo(4e6, within(1.0));
    assertThat(AdaptiveScore.expectedNanos(2e6, 1, 25, 13, 1e6)).isCloseTo(11e6, within(1.0));
  }

  @Test
  void treatAReportedQueueAsBusyThreads() {
    assertThat(AdaptiveScore.load(1, 0, 4, 2, 13, 1)).isEqualTo(13 + 4 + 2);
    assertThat(AdaptiveScore.load(1, 0, 4, 2, 13, 0)).isEqualTo(1);
    assertThat(AdaptiveScore.load(1, 30, 0, 0, 13, 1)).isEqualTo(12.5);
  }

  @Test
  void reportsAgeByServiceTimes() {
    assertThat(AdaptiveScore.freshness(0, 1e6)).isEqualTo(1);
    assertThat(AdaptiveScore.freshness(-5, 1e6)).isEqualTo(1);
    assertThat(AdaptiveScore.freshness(21e6, 10e6)).isCloseTo(Math.exp(-1), within(1e-9));
  }

  @Test
  void stayFiniteForAnyInput() {
    Random random = new Random(7);
    for (int i = 0; i < 100_000; i++) {
      assertThat(at(ExtremeInputs.of(random, 7, 0))).isBetween(1.0, 1e300);
    }
  }

  @Test
  void raisingAnInputNeverImprovesTheRank() {
    Random random = new Random(8);
    for (int i = 0; i < 100_000; i++) {
      double[] low = ExtremeInputs.of(random, 7, i);
      double[] high = ExtremeInputs.raised(low, random);
      // the age of a report is measured in service times, so S is compared at a steady report
      if (high[0] == low[0] || low[0] > 1e7) {
        assertThat(at(high)).isGreaterThanOrEqualTo(at(low) * (1 - 1e-12));
      }
    }
  }

  @Test
  void failuresAndSilenceMakeItWorse() {
    assertThat(score.of(1e6, 1e6, 0)).isEqualTo(5e6);
    assertThat(score.of(1e6, 0, 1)).isEqualTo(21e6);
  }
}
