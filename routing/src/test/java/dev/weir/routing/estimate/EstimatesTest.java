package dev.weir.routing.estimate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.junit.jupiter.api.Test;

final class EstimatesTest {
  private final Random random = new Random(11);

  private double noisy(double mean) {
    return mean * Math.exp(0.3 * random.nextGaussian());
  }

  @Test
  void aServiceTimeSettlesOnTheMean() {
    ServiceTime time = new ServiceTime();
    assertThat(time.known()).isFalse();
    for (int i = 0; i < 500; i++) {
      time.add(noisy(20e6));
    }
    assertThat(time.known()).isTrue();
    assertThat(Math.exp(time.logNanos())).isBetween(18e6, 22e6);
  }

  @Test
  void aServiceTimeFollowsAChangeWithinADozenSamples() {
    ServiceTime time = new ServiceTime();
    for (int i = 0; i < 500; i++) {
      time.add(noisy(5e6));
    }
    for (int i = 0; i < 15; i++) {
      time.add(noisy(50e6));
    }
    assertThat(Math.exp(time.logNanos())).isGreaterThan(30e6);
  }

  @Test
  void aSmallDifferenceFromTheOthersIsNone() {
    ServiceTime time = new ServiceTime();
    for (int i = 0; i < 500; i++) {
      time.add(noisy(20e6));
    }
    assertThat(time.nanosBeside(Math.log(21e6))).isCloseTo(21e6, within(1e3));
    assertThat(time.nanosBeside(Math.log(2e6))).isBetween(10e6, 20e6);
    assertThat(time.nanosBeside(Math.log(200e6))).isBetween(20e6, 40e6);
  }

  @Test
  void theFirstReportAfterASilenceCountsMuch() {
    ServiceTime time = new ServiceTime();
    for (int i = 0; i < 100; i++) {
      time.add(200e6);
    }
    for (int i = 0; i < 5; i++) {
      time.addNews(20e6);
    }
    assertThat(Math.exp(time.logNanos())).isLessThan(40e6);
  }

  @Test
  void anyServiceTimeIsTaken() {
    ServiceTime time = new ServiceTime();
    for (double nanos : new double[] {-1, 0, Double.MIN_VALUE, 1e300, Long.MAX_VALUE}) {
      time.add(nanos);
      time.addNews(nanos);
      assertThat(time.nanosBeside(0)).isFinite().isPositive();
    }
  }

  @Test
  void aResidualLearnsWhatThePredictionLeavesOut() {
    Residual residual = new Residual();
    for (int i = 0; i < 300; i++) {
      residual.add(noisy(20e6) + 40e6, 20e6, 20e6);
    }
    assertThat(residual.nanos()).isCloseTo(40e6, within(6e6));
    assertThat(residual.nanosBeyondNoise(20e6)).isBetween(25e6, 40e6);
  }

  @Test
  void aClassThatIsKeptAwayIsGivenAnotherChance() {
    Residuals residuals = new Residuals();
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
    Residual residual = new Residual();
    for (int i = 0; i < 300; i++) {
      residual.add(noisy(20e6), 20e6, 20e6);
    }
    assertThat(residual.nanosBeyondNoise(20e6)).isZero();
  }

  @Test
  void oneAnswerThatTookVeryLongDoesNotRuinANode() {
    Residual residual = new Residual();
    residual.add(1e15, 20e6, 20e6);
    assertThat(residual.nanos()).isLessThan(7e6);
  }

  @Test
  void othersAreSeenThroughTheQueue() {
    NodeQueue queue = new NodeQueue();
    for (int i = 0; i < 200; i++) {
      queue.report(7, 5, 13, i * 10_000_000L);
    }
    assertThat(queue.others()).isCloseTo(13 + 7 - 5, within(0.1));
    assertThat(queue.size()).isCloseTo(7, within(0.1));
    for (int i = 200; i < 1000; i++) {
      queue.report(0, 5, 13, i * 10_000_000L);
    }
    assertThat(queue.others()).isLessThan(8);
  }

  @Test
  void aRefusalIsAFullQueue() {
    NodeQueue queue = new NodeQueue();
    queue.refused(13, 5);
    assertThat(queue.size()).isEqualTo(130);
    assertThat(queue.others()).isPositive();
  }

  @Test
  void repeatsAreKnown() {
    Repeats repeats = new Repeats();
    assertThat(repeats.again(5)).isFalse();
    assertThat(repeats.again(6)).isFalse();
    assertThat(repeats.again(5)).isTrue();
  }

  @Test
  void costsOfClassesAreRelative() {
    Fleet fleet = new Fleet();
    assertThat(fleet.cost(3)).isEqualTo(1);
    for (int i = 0; i < 4000; i++) {
      fleet.cost(0, 5e6);
      fleet.cost(i % 20 == 0 ? 1 : 0, i % 20 == 0 ? 200e6 : 5e6);
    }
    assertThat(fleet.cost(1) / fleet.cost(0)).isBetween(20.0, 80.0);
    assertThat(fleet.cost(-1)).isEqualTo(fleet.cost(15));
  }
}
