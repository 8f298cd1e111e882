package dev.weir.routing.tail;

/**
 * Quantiles of response times, the older ones counting less: a histogram with buckets 4 % wide
 * whose counts are halved after every 4000 samples. Safe on any thread.
 *
 * <p>So that second requests do not poison the quantile that they are sent by, give it the time
 * from the first request to the first answer: a request that was overtaken then counts as at least
 * as long as the delay.
 */
public final class LatencyQuantile {
  private static final int BUCKETS = 512;
  private static final double LOG_WIDTH = Math.log(1.04);
  private static final double MIN_NANOS = 10_000;
  private static final int HALVING_SAMPLES = 4000;
  private static final int MIN_SAMPLES = 20;
  private static final int REFRESH_SAMPLES = 64;

  private final double quantile;
  private double[] counts = {}; // of a kind of request that there is
  private double total;
  private int sinceRefresh;
  private volatile long nanos = -1;

  /**
   * Makes an empty one.
   *
   * @param quantile from 0 to 1
   */
  public LatencyQuantile(double quantile) {
    this.quantile = quantile;
  }

  /** Takes a response time. */
  public synchronized void add(long responseNanos) {
    if (counts.length == 0) {
      counts = new double[BUCKETS];
    }
    counts[bucket(responseNanos)]++;
    total++;
    if (total > HALVING_SAMPLES) {
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

  /** The quantile as of the last 64 samples; -1 while fewer than 20 are known. */
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
