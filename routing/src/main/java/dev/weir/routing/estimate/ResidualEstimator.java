package dev.weir.routing.estimate;

/**
 * What answers take longer (or less long) than predicted from service time and load, on average: a
 * slow network, service times that leave something out. Not thread-safe.
 */
public final class ResidualEstimator {
  private static final double GAIN = 0.03;
  private static final double MAX_SERVICE_TIMES = 10;

  private double mean;
  private double variance;

  /**
   * Takes an answer.
   *
   * @param responseNanos what it took
   * @param predictedNanos what was predicted when it was sent, without this residual
   * @param serviceNanos the node's service time
   */
  public void add(double responseNanos, double predictedNanos, double serviceNanos) {
    double away = responseNanos - predictedNanos;
    double error = Math.clamp(away, -predictedNanos, MAX_SERVICE_TIMES * predictedNanos);
    double deviation = error - mean;
    variance += GAIN * (deviation * deviation - variance);
    mean = Math.max(mean + GAIN * deviation, -0.8 * serviceNanos);
  }

  /** Forgets half, because something changed. */
  public void halve() {
    mean *= 0.5;
  }

  /** Takes a share of the way towards another. */
  void moveToward(ResidualEstimator other, double share) {
    mean += share * (other.mean - mean);
  }

  /** The residual in nanoseconds as far as it is beyond the noise. */
  public double nanosBeyondNoise(double serviceNanos) {
    return ServiceTimeEstimator.excessBeyond(
        mean, 0.1 * serviceNanos + 2 * Math.sqrt(variance * GAIN));
  }

  /** By how much it differs from another, as far as that is beyond the noise and a band. */
  double nanosBeyond(ResidualEstimator other, double band) {
    return ServiceTimeEstimator.excessBeyond(
        mean - other.mean, band + 4 * Math.sqrt(variance * GAIN));
  }

  /** The residual in nanoseconds. */
  public double nanos() {
    return mean;
  }
}
