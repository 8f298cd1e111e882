package dev.weir.bench.simulation;

import dev.weir.model.ShardCopy;
import java.util.Arrays;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * SingleR, for comparison: sends a second request at a time d with a probability q, whatever the
 * state of the nodes (Kaler, He and Elnikety, Optimal reissue policies for reducing tail latency,
 * SPAA 2017). d and q minimise the 99th percentile of the response times observed so far, as if
 * those of first and second requests were independent, with q times P(response time above d) within
 * the budget.
 */
final class SingleReissue implements SimulatedHedging {
  private static final int WINDOW = 4000;
  private static final int REFRESH = 500;
  private static final int CANDIDATES = 50;
  private static final double TAIL = 0.01;

  private final double budgetRatio;
  private final LongSupplier nanoTime;
  private final RandomGenerator random;
  private final long[] window = new long[WINDOW];
  private int added;
  private Reissue reissue = new Reissue(-1, 0);

  /** A second request after this delay, with this probability. */
  record Reissue(long delayNanos, double probability) {}

  SingleReissue(double budgetRatio, LongSupplier nanoTime, RandomGenerator random) {
    this.budgetRatio = budgetRatio;
    this.nanoTime = nanoTime;
    this.random = random;
  }

  @Override
  public long onFirstSent(SimulatedAttempt first) {
    return random.nextDouble() < reissue.probability() ? reissue.delayNanos() : -1;
  }

  @Override
  public boolean tryHedge(SimulatedAttempt first, ShardCopy other, boolean requestsWait) {
    return true;
  }

  @Override
  public long recheckDelayNanos(SimulatedAttempt first, long waitedNanos) {
    return -1;
  }

  @Override
  public void onResponse(SimulatedAttempt first) {
    window[added++ % WINDOW] = nanoTime.getAsLong() - first.sentNanos;
    if (added % REFRESH == 0) {
      long[] times = Arrays.copyOf(window, Math.min(added, WINDOW));
      Arrays.sort(times);
      reissue = best(times, budgetRatio);
    }
  }

  /** Returns the best delay and probability for these sorted response times. */
  static Reissue best(long[] times, double budgetRatio) {
    Reissue best = new Reissue(-1, 0);
    long lowest = times[rank(times, 1 - TAIL)];
    for (int i = 0; i < CANDIDATES; i++) {
      // a delay below this quantile leaves too small a probability to matter
      long delay = times[rank(times, 0.5 + 0.5 * i / CANDIDATES)];
      double probability = Math.min(1, budgetRatio / Math.max(1e-9, above(times, delay)));
      long tail = tail(times, delay, probability);
      if (tail < lowest) {
        lowest = tail;
        best = new Reissue(delay, probability);
      }
    }
    return best;
  }

  /** Returns the smallest time that all but a hundredth of the requests would take. */
  private static long tail(long[] times, long delay, double probability) {
    int from = 0;
    int to = times.length - 1;
    while (from < to) {
      int middle = (from + to) / 2;
      double saved = probability * (1 - above(times, times[middle] - delay));
      if (above(times, times[middle]) * (1 - saved) <= TAIL) {
        to = middle;
      } else {
        from = middle + 1;
      }
    }
    return times[from];
  }

  /** Returns the fraction of times above a value. */
  private static double above(long[] times, long value) {
    int from = 0;
    int to = times.length;
    while (from < to) {
      int middle = (from + to) / 2;
      if (times[middle] > value) {
        to = middle;
      } else {
        from = middle + 1;
      }
    }
    return (times.length - from) / (double) times.length;
  }

  private static int rank(long[] times, double quantile) {
    return Math.clamp((long) Math.ceil(quantile * times.length) - 1, 0, times.length - 1);
  }
}
