package dev.weir.routing.tail;

/**
 * A quantile of response times with decay: a histogram with buckets 4 % wide. Its counts are halved
 * when their sum exceeds 4000: after 4000 samples, and then after every 2000. Safe on any thread.
 *
 * <p>Hedged requests must not distort the quantile that triggers them. Therefore add the time from
 * the first request to the first response: a request that lost against its hedged request then
 * counts as at least as long as the delay.
 */
public final class LatencyQuantile {
  private static final int BUCKETS = 512;
  private static final double LOG_WIDTH = Math.log(1.04);
  private static final double MIN_NANOS = 10_000;
  private static final int MAX_TOTAL = 4000;
  private static final int MIN_SAMPLES = 20;
  private static final int REFRESH_SAMPLES = 64;

  private final double quantile;
  private double[] counts = {}; // allocated with the first sample
  private double total;
  private int sinceRefresh;
  private volatile long nanos = -1;

  /**
   * Starts without samples.
   *
   * @param quantile from 0 to 1
   */
  public LatencyQuantile(double quantile) {
    this.quantile = quantile;
  }

  /** Adds a response time. */
  public synchronized void add(long responseNanos) {
    if (counts.length == 0) {
      counts = new double[BUCKETS];
    }
    counts[bucket(responseNanos)]++;
    total++;
    if (total > MAX_TOTAL) {
      for (int i = 0; i < BUCKETS; i++) {
        counts[i] *= 0.5;
      }
      total *= 0.5;
    }
    if (++sinceRefresh >= REFRESH_SAMPLES || total <= MIN_SAMPLES) {
      sinceRefresh = 0;
      nanos = total < MIN_SAMPLES ? -1 : search();
    }
  }

  /** Returns the quantile as of the last 64 samples; -1 with fewer than 20 samples. */
  public long nanos() {
    return nanos;
  }

  private long search() {
    double left = quantile * total;
    int i = 0;
    while (i < BUCKETS - 1 && left > counts[i]) {
      left -= counts[i++];
    }
    return (long) (MIN_NANOS * Math.exp((i + 1) * LOG_WIDTH));
  }

  private static int bucket(long nanos) {
    return nanos <= MIN_NANOS
        ? 0
        : (int) Math.min(BUCKETS - 1, Math.log(nanos / MIN_NANOS) / LOG_WIDTH);
  }
}
