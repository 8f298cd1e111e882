package dev.weir.bench.soak;

import java.util.Arrays;
import java.util.List;

/** How far a figure grew over samples at equal intervals. */
final class GrowthTrend {
  private static final int MIN_SAMPLES = 3;

  private GrowthTrend() {}

  /**
   * Returns the growth from the first to the last sample, on the line through the samples, as a
   * fraction of their mean; NaN with fewer than three samples.
   *
   * <p>The slope of the line is the median of the slopes between all pairs of samples (Theil and
   * Sen). A line of least squares would follow a single sample: 30 MB that the JVM's compiler holds
   * for some seconds, at the last of thirty samples, would be growth of 2 %.
   */
  static double of(List<Double> samples) {
    int count = samples.size();
    if (count < MIN_SAMPLES) {
      return Double.NaN;
    }
    double[] slopes = new double[count * (count - 1) / 2];
    int n = 0;
    for (int i = 0; i < count; i++) {
      for (int j = i + 1; j < count; j++) {
        slopes[n++] = (samples.get(j) - samples.get(i)) / (j - i);
      }
    }
    Arrays.sort(slopes);
    double median = (slopes[(n - 1) / 2] + slopes[n / 2]) / 2;
    double mean = samples.stream().mapToDouble(Double::doubleValue).average().orElse(Double.NaN);
    return mean == 0 ? 0 : median * (count - 1) / mean;
  }
}
