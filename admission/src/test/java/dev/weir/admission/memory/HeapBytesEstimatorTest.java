package dev.weir.admission.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.junit.jupiter.api.Test;

final class HeapBytesEstimatorTest {
  private final HeapBytesEstimator costs = new HeapBytesEstimator();

  @Test
  void useTheGivenDefaultForAnUnknownKind() {
    assertThat(costs.estimateRatio("terms", 8)).isEqualTo(8);
    assertThat(costs.estimateHeapBytes("terms", 1000, 8)).isEqualTo(8000);
  }

  @Test
  void expectsTwiceTheFirstMeasurementAndThenMoreAndMoreExactly() {
    costs.record("terms", 1000, 10_000);
    assertThat(costs.estimateRatio("terms", 8)).isCloseTo(20, within(1e-9));
    for (int n = 0; n < 200; n++) {
      costs.record("terms", 1000, 10_000);
    }
    assertThat(costs.estimateRatio("terms", 8)).isCloseTo(10, within(0.1));
  }

  @Test
  void expectMoreThanNearlyAllSamplesOfAVaryingKind() {
    Random random = new Random(5);
    int above = 0;
    for (int n = 0; n < 2000; n++) {
      long heap = 8000L + random.nextInt(8000);
      if (n > 100 && heap > costs.estimateHeapBytes("terms", 1000, 8)) {
        above++;
      }
      costs.record("terms", 1000, heap);
    }
    assertThat(above).isLessThan(100);
    assertThat(costs.estimateRatio("terms", 8)).isLessThan(25);
  }

  @Test
  void followsAChange() {
    for (int n = 0; n < 100; n++) {
      costs.record("terms", 1000, 2_000);
    }
    for (int n = 0; n < 30; n++) {
      costs.record("terms", 1000, 40_000);
    }
    assertThat(costs.estimateRatio("terms", 8)).isGreaterThan(38);
  }

  @Test
  void staysInBoundsWithAnyInput() {
    costs.record("a", 0, 5);
    costs.record("a", -1, 5);
    costs.record("a", 5, -1);
    assertThat(costs.estimates(10)).isEmpty();
    costs.record("b", 1, Long.MAX_VALUE);
    costs.record("b", Long.MAX_VALUE, 0);
    assertThat(costs.estimateRatio("b", 8)).isBetween(0.01, 1000.0);
    assertThat(costs.estimateHeapBytes("b", Long.MAX_VALUE, 8)).isPositive();
  }

  @Test
  void learnsOfABoundedNumberOfShapes() {
    for (int n = 0; n < 2 * HeapBytesEstimator.MAX_SHAPES; n++) {
      costs.record("shape " + n, 1, 1);
    }
    assertThat(costs.estimates(Integer.MAX_VALUE)).hasSize(HeapBytesEstimator.MAX_SHAPES);
  }

  @Test
  void evictLeastRecentlyUsedShapeForANewOne() {
    for (int n = 0; n < HeapBytesEstimator.MAX_SHAPES; n++) {
      costs.record("shape " + n, 1000, 10_000);
    }
    costs.record("shape 0", 1000, 10_000);
    costs.record("new", 1000, 10_000);
    assertThat(costs.estimateRatio("new", 8)).as("a new shape is learned").isNotEqualTo(8);
    assertThat(costs.estimateRatio("shape 0", 8)).as("measured since").isNotEqualTo(8);
    assertThat(costs.estimateRatio("shape 1", 8)).as("the oldest is evicted").isEqualTo(8);
    costs.estimateRatio("shape 2", 8);
    costs.record("newer", 1000, 10_000);
    assertThat(costs.estimateRatio("shape 2", 8)).as("estimated since").isNotEqualTo(8);
    assertThat(costs.estimateRatio("shape 3", 8)).isEqualTo(8);
    assertThat(costs.estimates(Integer.MAX_VALUE)).hasSize(HeapBytesEstimator.MAX_SHAPES);
  }
}
