package dev.weir.routing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

final class C3ScoreTest {
  private static final C3Score SCORE = new C3Score(1, 3, 20);

  private static double score(int outstanding, double r, double s, double q, double errors) {
    return SCORE.of(new NodeLoad(outstanding, r, s, q, errors)).score();
  }

  @Test
  void isTheFormulaOfThePaperWithAServiceTime() {
    // qhat = 1 + 2 + 4 = 7, R - S + 343 * S
    assertThat(score(2, 5e6, 2e6, 4, 0)).isEqualTo(5e6 - 2e6 + 343 * 2e6);
    assertThat(new C3Score(3, 3, 20).of(new NodeLoad(2, 5e6, 2e6, 4, 0)).queueHat()).isEqualTo(11);
    assertThat(score(0, 5e6, 2e6, 0, 0.5)).isEqualTo(5e6 * 11);
  }

  @Test
  void ranksTheSlowerNodeWorseUnderAQueue() {
    // the formula of OpenSearch, with 1/S in place of S, ranks the slow node better here
    assertThat(score(3, 40e6, 40e6, 10, 0)).isGreaterThan(score(3, 4e6, 4e6, 10, 0));
  }

  @Test
  void doesNotOverflowWhereTheCubeLeavesAnInt() {
    assertThat(score(1290, 1e6, 1e6, 0, 0)).isGreaterThan(score(1289, 1e6, 1e6, 0, 0));
    assertThat(score(100_000, 1e6, 1e6, 1e6, 1)).isPositive();
    assertThat(score(Integer.MAX_VALUE, 1e18, 1e18, 1e300, 1)).isEqualTo(1e300);
  }

  @Test
  void countsAFractionOfAQueue() {
    assertThat(score(0, 1e6, 1e6, 0.9, 0)).isGreaterThan(score(0, 1e6, 1e6, 0, 0));
  }

  @Test
  void raisingAnyInputNeverLowersTheScore() {
    Random random = new Random(42);
    for (int i = 0; i < 20_000; i++) {
      int os = random.nextInt(2000);
      double r = Math.exp(random.nextDouble() * 30);
      double s = Math.exp(random.nextDouble() * 30);
      double q = Math.exp(random.nextDouble() * 10) - 1;
      double e = random.nextDouble();
      double more = 1 + random.nextDouble();
      double before = score(os, r, s, q, e);
      assertThat(before).isFinite().isPositive();
      assertThat(score(os + 1, r, s, q, e)).isGreaterThanOrEqualTo(before);
      assertThat(score(os, r * more, s, q, e)).isGreaterThanOrEqualTo(before);
      assertThat(score(os, r, s * more, q, e)).isGreaterThanOrEqualTo(before);
      assertThat(score(os, r, s, q + more, e)).isGreaterThanOrEqualTo(before);
      assertThat(score(os, r, s, q, Math.min(1, e * more))).isGreaterThanOrEqualTo(before);
    }
  }
}
