package dev.weir.admission.memory;

import dev.weir.testkit.junit.Drawn;
import dev.weir.testkit.junit.InterleavingCheck;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Test;

@Drawn(oneIn = 4)
public final class HeapBytesEstimatorInterleavingTest {
  @Test
  void estimateByTheDefaultUntilTheFirstMeasurement() {
    InterleavingCheck.assertLinearizable(Operations.class);
  }

  /** What requests do with the same few shapes. */
  public static final class Operations {
    private static final double DEFAULT_RATIO = 8;

    private final HeapBytesEstimator estimator = new HeapBytesEstimator();

    @Operation
    public void record(@Param(gen = IntGen.class, conf = "0:1") int shape) {
      estimator.record("shape" + shape, 1000, 10_000);
    }

    @Operation
    public double estimate(@Param(gen = IntGen.class, conf = "0:1") int shape) {
      return estimator.estimateRatio("shape" + shape, DEFAULT_RATIO);
    }
  }
}
