package dev.weir.routing.score;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.junit.jupiter.api.Test;

final class C3ScoreTest {
  private final C3Score score = new C3Score(3, 3, 20);

  @Test
  void followsThePaper() {
    // R - S + (1 + 2 * 3 + 1)^3 * S
    assertThat(score.of(score.queueHat(2, 1), 5e6, 2e6, 0))
        .isCloseTo(5e6 - 2e6 + 512 * 2e6, within(1.0));
    assertThat(score.of(score.queueHat(0, 0), 5e6, 2e6, 0)).isCloseTo(5e6, within(1.0));
  }

  @Test
  void anyExponentIsAPower() {
    C3Score square = new C3Score(1, 2, 0);
    assertThat(square.of(4, 1e6, 1e6, 0)).isCloseTo(16e6, within(1.0));
  }

  @Test
  void stayFiniteForAnyInput() {
    Random random = new Random(5);
    for (int i = 0; i < 100_000; i++) {
      double of =
          score.of(
              score.queueHat(random.nextInt(), ExtremeInputs.any(random)),
              ExtremeInputs.any(random),
              ExtremeInputs.any(random),
              random.nextDouble());
      assertThat(Double.isFinite(of)).isTrue();
    }
  }

  @Test
  void raisingAnInputNeverImprovesTheRank() {
    Random random = new Random(6);
    for (int i = 0; i < 100_000; i++) {
      double[] low = ExtremeInputs.of(random, 5, i);
      double[] high = ExtremeInputs.raised(low, random);
      assertThat(at(high)).isGreaterThanOrEqualTo(at(low) * (1 - 1e-12));
    }
  }

  private double at(double[] x) {
    int outstanding = (int) Math.min(x[0], Integer.MAX_VALUE);
    return score.of(score.queueHat(outstanding, x[1]), x[2], x[3], Math.min(1, x[4] / 1e12));
  }
}
