package dev.weir.bench.simulation;

import java.util.Arrays;

/**
 * The response times of a node by its load, as a Prequal server estimates them: the median of
 * recent completions that arrived at or near a number of requests in flight (Wydrowski et al., Load
 * is not what you should balance, NSDI 2024).
 */
final class LatencyByLoad {
  private static final int BUCKETS = 64;
  private static final int EXACT = 32;
  private static final int RECENT = 9;
  private static final double LOG_WIDTH = Math.log(1.15);

  private final long[][] nanos = new long[BUCKETS][RECENT];
  private final int[] added = new int[BUCKETS];

  /** Adds a completion of a request that arrived when this many were in flight. */
  void add(int load, long responseNanos) {
    int bucket = bucket(load);
    nanos[bucket][added[bucket]++ % RECENT] = responseNanos;
  }

  /** Returns the expected response time at a load; 0 before the first completion. */
  long median(int load) {
    int bucket = bucket(load);
    for (int away = 0; away < BUCKETS; away++) {
      for (int at : new int[] {bucket - away, bucket + away}) {
        if (at >= 0 && at < BUCKETS && added[at] > 0) {
          long[] recent = Arrays.copyOf(nanos[at], Math.min(RECENT, added[at]));
          Arrays.sort(recent);
          return recent[recent.length / 2];
        }
      }
    }
    return 0;
  }

  private static int bucket(int load) {
    return load < EXACT
        ? Math.max(0, load)
        : Math.min(BUCKETS - 1, EXACT + (int) (Math.log((double) load / EXACT) / LOG_WIDTH));
  }
}
