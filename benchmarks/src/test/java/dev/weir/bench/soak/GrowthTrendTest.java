package dev.weir.bench.soak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class GrowthTrendTest {
  @Test
  void measureSteadyGrowth() {
    assertThat(GrowthTrend.of(List.of(99.0, 100.0, 101.0))).isCloseTo(0.02, within(1e-9));
    assertThat(GrowthTrend.of(List.of(101.0, 100.0, 99.0))).isCloseTo(-0.02, within(1e-9));
    assertThat(GrowthTrend.of(List.of(0.0, 0.0, 0.0))).isZero();
  }

  @Test
  void ignoreASingleSample() {
    List<Double> samples = new ArrayList<>();
    for (int i = 0; i < 29; i++) {
      samples.add(200.0);
    }
    samples.add(230.0);
    assertThat(GrowthTrend.of(samples)).isZero();
  }

  @Test
  void findALeakInNoise() {
    Random random = new Random(1);
    List<Double> flat = new ArrayList<>();
    List<Double> leaking = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      double noise = random.nextGaussian() * 2;
      flat.add(200 + noise);
      leaking.add(200 + noise + i * 0.3);
    }
    assertThat(GrowthTrend.of(flat)).isBetween(-0.02, 0.02);
    assertThat(GrowthTrend.of(leaking)).isGreaterThan(0.02);
  }

  @Test
  void tellNothingFromTwoSamples() {
    assertThat(GrowthTrend.of(List.of(1.0, 2.0))).isNaN();
  }
}
