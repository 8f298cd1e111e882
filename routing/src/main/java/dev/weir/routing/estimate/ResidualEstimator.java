package dev.weir.routing.estimate;

/**
 * Estimates how much longer (or shorter) responses take on average than service time and load
 * predict, for example because of a slow network or an incomplete service time. Not thread-safe.
 */
public final class ResidualEstimator {
  private static final double GAIN = 0.03;
  private static final double MAX_SERVICE_TIMES = 10;

  private double mean;
  private double variance;

  /**
   * Adds a response.
   *
   * @param responseNanos the response time
   * @param predictedNanos the prediction at the time of sending, without this residual
   * @param serviceNanos the node's service time
   */
  public void add(double responseNanos, double predictedNanos, double serviceNanos) {
    double away = responseNanos - predictedNanos;
    double error = Math.clamp(away, -predictedNanos, MAX_SERVICE_TIMES * predictedNanos);
    double deviation = error - mean;
    variance += GAIN * (deviation * deviation - variance);
    mean = Math.max(mean + GAIN * deviation, -0.8 * serviceNanos);
  }

  /** Halves the residual after a change of the node. */
  public void halve() {
    mean *= 0.5;
  }

  /** Moves by a fraction of the difference towards another estimator. */
  void moveToward(ResidualEstimator other, double share) {
    mean += share * (other.mean - mean);
  }

  /** Returns the residual in nanoseconds as far as it exceeds the noise. */
  public double nanosBeyondNoise(double serviceNanos) {
    return ServiceTimeEstimator.excessBeyond(
        mean, 0.1 * serviceNanos + 2 * Math.sqrt(variance * GAIN));
  }

  /** Returns the difference from another estimator as far as it exceeds the noise and a band. */
  double nanosBeyond(ResidualEstimator other, double band) {
    return ServiceTimeEstimator.excessBeyond(
        mean - other.mean, band + 4 * Math.sqrt(variance * GAIN));
  }
}
