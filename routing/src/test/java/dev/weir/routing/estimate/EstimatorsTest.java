package dev.weir.routing.estimate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.junit.jupiter.api.Test;

final class EstimatorsTest {
  private final Random random = new Random(11);

  private double noisy(double mean) {
    return mean * Math.exp(0.3 * random.nextGaussian());
  }

  @Test
  void convergeToTheMean() {
    ServiceTimeEstimator time = new ServiceTimeEstimator();
    assertThat(time.logNanos()).as("unknown").isZero();
    for (int i = 0; i < 500; i++) {
      time.add(noisy(20e6));
    }
    assertThat(Math.exp(time.logNanos())).isBetween(18e6, 22e6);
  }

  @Test
  void followAChangeWithinADozenSamples() {
    ServiceTimeEstimator time = new ServiceTimeEstimator();
    for (int i = 0; i < 500; i++) {
      time.add(noisy(5e6));
    }
    for (int i = 0; i < 15; i++) {
      time.add(noisy(50e6));
    }
    assertThat(Math.exp(time.logNanos())).isGreaterThan(30e6);
  }

  @Test
  void ignoreSmallDifferencesBetweenClasses() {
    ServiceTimeEstimator time = new ServiceTimeEstimator();
    for (int i = 0; i < 500; i++) {
      time.add(noisy(20e6));
    }
    assertThat(time.nanosShrunkToward(Math.log(21e6))).isCloseTo(21e6, within(1e3));
    assertThat(time.nanosShrunkToward(Math.log(2e6))).isBetween(10e6, 20e6);
    assertThat(time.nanosShrunkToward(Math.log(200e6))).isBetween(20e6, 40e6);
  }

  @Test
  void weighTheFirstReportAfterASilenceHeavily() {
    ServiceTimeEstimator time = new ServiceTimeEstimator();
    for (int i = 0; i < 100; i++) {
      time.add(200e6);
    }
    for (int i = 0; i < 5; i++) {
      time.addAfterSilence(20e6);
    }
    assertThat(Math.exp(time.logNanos())).isLessThan(40e6);
  }

  @Test
  void anyServiceTimeIsTaken() {
    ServiceTimeEstimator time = new ServiceTimeEstimator();
    for (double nanos : new double[] {-1, 0, Double.MIN_VALUE, 1e300, Long.MAX_VALUE}) {
      time.add(nanos);
      time.addAfterSilence(nanos);
      assertThat(time.nanosShrunkToward(0)).isFinite().isPositive();
    }
  }

  @Test
  void learnTheResidualOfThePrediction() {
    ResidualEstimator residual = new ResidualEstimator();
    for (int i = 0; i < 300; i++) {
      residual.add(noisy(20e6) + 40e6, 20e6, 20e6);
    }
    assertThat(withNoise(residual)).isCloseTo(40e6, within(6e6));
    assertThat(residual.nanosBeyondNoise(20e6)).isBetween(25e6, 40e6);
  }

  @Test
  void giveAnAvoidedClassAnotherChance() {
    NodeResiduals residuals = new NodeResiduals();
    for (int i = 0; i < 2000; i++) {
      residuals.add(i % 2, noisy(20e6) + (i % 2) * 80e6, 20e6, 20e6);
      residuals.publish(20e6);
    }
    double apart = residuals.nanos(1) - residuals.nanos(0);
    assertThat(apart).isGreaterThan(20e6);
    for (int i = 0; i < 3000; i++) {
      residuals.add(0, noisy(20e6), 20e6, 20e6);
      residuals.publish(20e6);
    }
    assertThat(residuals.nanos(1))
        .as("as all the others")
        .isCloseTo(residuals.nanos(0), within(1e6));
  }

  @Test
  void noiseIsNoResidual() {
    ResidualEstimator residual = new ResidualEstimator();
    for (int i = 0; i < 300; i++) {
      residual.add(noisy(20e6), 20e6, 20e6);
    }
    assertThat(residual.nanosBeyondNoise(20e6)).isZero();
  }

  @Test
  void limitTheEffectOfOneSlowResponse() {
    ResidualEstimator residual = new ResidualEstimator();
    residual.add(1e15, 20e6, 20e6);
    assertThat(withNoise(residual)).isBetween(1e6, 7e6);
  }

  /** The residual in nanoseconds, by an estimator that knows no noise. */
  private static double withNoise(ResidualEstimator residual) {
    ResidualEstimator other = new ResidualEstimator();
    other.moveToward(residual, 1);
    return other.nanosBeyondNoise(0);
  }

  @Test
  void estimateOtherLoadFromTheQueue() {
    NodeQueueEstimator queue = new NodeQueueEstimator();
    for (int i = 0; i < 200; i++) {
      queue.onReport(7, 5, 13, i * 10_000_000L);
    }
    assertThat(queue.othersLoad()).isCloseTo(13 + 7 - 5, within(0.1));
    assertThat(queue.size()).isCloseTo(7, within(0.1));
    for (int i = 200; i < 1000; i++) {
      queue.onReport(0, 5, 13, i * 10_000_000L);
    }
    assertThat(queue.othersLoad()).isLessThan(8);
  }

  @Test
  void treatARejectionAsAFullQueue() {
    NodeQueueEstimator queue = new NodeQueueEstimator();
    queue.onRejection(13, 5);
    assertThat(queue.size()).isEqualTo(130);
    assertThat(queue.othersLoad()).isPositive();
  }

  @Test
  void repeatsAreKnown() {
    RepeatedReportDetector repeats = new RepeatedReportDetector();
    assertThat(repeats.isRepeat(5)).isFalse();
    assertThat(repeats.isRepeat(6)).isFalse();
    assertThat(repeats.isRepeat(5)).isTrue();
  }

  @Test
  void costsOfClassesAreRelative() {
    FleetStatistics fleet = new FleetStatistics();
    assertThat(fleet.cost(3)).isEqualTo(1);
    for (int i = 0; i < 4000; i++) {
      fleet.cost(0, 5e6);
      fleet.cost(i % 20 == 0 ? 1 : 0, i % 20 == 0 ? 200e6 : 5e6);
    }
    assertThat(fleet.cost(1) / fleet.cost(0)).isBetween(20.0, 80.0);
    assertThat(fleet.cost(-1)).isEqualTo(fleet.cost(15));
  }
}
