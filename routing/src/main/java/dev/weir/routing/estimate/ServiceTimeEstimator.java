package dev.weir.routing.estimate;

/**
 * Estimates a node's service time: a mean in the log domain that moves slowly while nothing changes
 * and quickly after a change. Not thread-safe.
 *
 * <p>The gain of a sample falls as 1/n down to 0.02. A second, fast mean has a gain of 0.2. If the
 * fast mean differs by more than the noise for four samples in a row, the mean jumps to it and
 * learns quickly again. Samples are averages that nodes report, so that successive samples resemble
 * each other, and the noise of the mean is about sqrt(3 * variance * gain).
 */
public final class ServiceTimeEstimator {
  private static final double MIN_GAIN = 0.02;
  private static final double FAST_GAIN = 0.2;
  private static final double VARIANCE_GAIN = 0.03;
  private static final double AFTER_SILENCE_GAIN = 0.35;
  private static final int HITS = 4;
  private static final int MIN_SAMPLES = 10;
  private static final int AFTER_CHANGE = 5;

  private double mean;
  private double fastMean;
  private double variance = 0.1;
  private int samples;
  private int hits;

  /** Adds a sample, at least one nanosecond. */
  public void add(double nanos) {
    double x = Math.log(Math.max(1, nanos));
    if (samples == 0) {
      mean = x;
      fastMean = x;
      samples = 1;
      return;
    }
    double gain = gain();
    samples = Math.min(samples + 1, 1 << 20);
    double away = x - mean;
    variance += VARIANCE_GAIN * (away * away - variance);
    mean += gain * away;
    fastMean += FAST_GAIN * (x - fastMean);
    double drift = Math.abs(fastMean - mean);
    if (samples <= MIN_SAMPLES || drift <= Math.max(0.2, 2 * Math.sqrt(variance * 0.35))) {
      hits = 0;
    } else if (++hits >= HITS) {
      mean = fastMean;
      samples = AFTER_CHANGE;
      hits = 0;
    }
  }

  /** Adds the first sample after a long silence, with a high weight. */
  public void addAfterSilence(double nanos) {
    if (samples == 0) {
      add(nanos);
      return;
    }
    mean += AFTER_SILENCE_GAIN * (Math.log(Math.max(1, nanos)) - mean);
    fastMean = mean;
    samples = Math.min(samples, 3);
    hits = 0;
  }

  /** Returns the natural logarithm of the mean in nanoseconds; 0 while unknown. */
  public double logNanos() {
    return mean;
  }

  /**
   * Returns the mean in nanoseconds, drawn toward the other nodes' mean by up to {@code 0.1 + 1.5
   * sigma}, so that noise makes no difference between nodes.
   *
   * @param othersLogNanos the mean over all nodes, in the log domain
   */
  public double nanosShrunkToward(double othersLogNanos) {
    double band = 0.1 + 1.5 * Math.sqrt(variance * 3 * gain());
    return Math.exp(othersLogNanos + excessBeyond(mean - othersLogNanos, band));
  }

  private double gain() {
    return Math.max(MIN_GAIN, 1.0 / (samples + 1));
  }

  /** Returns the part of a value beyond a band around zero. */
  static double excessBeyond(double value, double band) {
    return value > band ? value - band : value < -band ? value + band : 0;
  }
}
