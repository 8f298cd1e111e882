package dev.weir.bench.simulation;

import java.util.Arrays;

/** The measurements of one run. */
final class RunMeasurements {
  /** The width of the steps in which node 0's requests are counted. */
  static final double STEP_SECONDS = 0.1;

  /** A response after this time is of no use to the client; for {@link #goodput}. */
  private static final long DEADLINE_NANOS = 1_000_000_000L;

  final Latencies allRequests = new Latencies();
  final Latencies cheapRequests = new Latencies();
  final Latencies windowRequests = new Latencies();
  private final SimulationScenario.Time time;
  private final int[] toFirst;
  private final int[] toAny;
  private final int[] inTimeByClass = new int[2];
  private final int[] searchesByClass = new int[2];
  private long searches;
  private long finished;
  private long failed;
  private long attempts;
  private long hedges;
  private long windowFirst;
  private long windowAll;
  private long lookUps;
  private long hits;

  RunMeasurements(SimulationScenario.Time time) {
    this.time = time;
    int steps = (int) ((time.warmUp() + time.measurement()) / STEP_SECONDS) + 400;
    this.toFirst = new int[steps];
    this.toAny = new int[steps];
  }

  void recordAttempt(long now, int node, boolean firstAttempt, boolean secondRequest) {
    int step = (int) (now / 1e9 / STEP_SECONDS);
    if (step < toAny.length) {
      toAny[step]++;
      toFirst[step] += node == 0 ? 1 : 0;
    }
    if (isMeasured(now)) {
      attempts++;
      hedges += secondRequest ? 1 : 0;
    }
    if (firstAttempt && isInWindow(now)) {
      windowAll++;
      windowFirst += node == 0 ? 1 : 0;
    }
  }

  /** Adds the lookups in a node's cache. */
  void addCacheLookups(long count, long found) {
    lookUps += count;
    hits += found;
  }

  void finished(SimulatedShardRequest.SimulatedSearch search, long now) {
    if (!isMeasured(search.startedAt)) {
      return;
    }
    searches++;
    searchesByClass[search.heaviestCostClass]++;
    if (search.failed) {
      failed++;
      return;
    }
    finished += now < time.endNanos() ? 1 : 0;
    long nanos = now - search.startedAt;
    inTimeByClass[search.heaviestCostClass] += nanos <= DEADLINE_NANOS ? 1 : 0;
    allRequests.add(nanos);
    if (search.heaviestCostClass == 0) {
      cheapRequests.add(nanos);
    }
    if (isInWindow(search.startedAt)) {
      windowRequests.add(nanos);
    }
  }

  private boolean isMeasured(long at) {
    return at >= EventSimulator.seconds(time.warmUp()) && at < time.endNanos();
  }

  private boolean isInWindow(long at) {
    return at >= EventSimulator.seconds(time.windowFrom())
        && at < EventSimulator.seconds(time.windowTo());
  }

  double searchesPerSecond() {
    return finished / time.measurement();
  }

  /** Returns the searches a second that succeeded within a second. */
  double goodput() {
    return (inTimeByClass[0] + inTimeByClass[1]) / time.measurement();
  }

  /** Returns the fraction of the searches of a cost class that succeeded within a second. */
  double inTimeRatio(int costClass) {
    return inTimeByClass[costClass] / (double) Math.max(1, searchesByClass[costClass]);
  }

  /** Returns the fraction of all searches that succeeded within a second. */
  double inTimeRatio() {
    return (inTimeByClass[0] + inTimeByClass[1]) / (double) Math.max(1, searches);
  }

  double failedRatio() {
    return failed / (double) Math.max(1, searches);
  }

  /** Returns the ratio of hedged requests to all sent requests. */
  double hedgeRatio() {
    return hedges / (double) Math.max(1, attempts);
  }

  /** Returns the ratio of cache hits to lookups. */
  double cacheHitRatio() {
    return hits / (double) Math.max(1, lookUps);
  }

  /** Returns node 0's share of first attempts within the window. */
  double windowShareOfNode0() {
    return windowFirst / (double) Math.max(1, windowAll);
  }

  /**
   * Returns the seconds after a time until node 0 has this share over half a second; NaN for never.
   */
  double recoverySeconds(double from, double share) {
    for (int step = (int) (from / STEP_SECONDS); step + 5 < toAny.length; step++) {
      if (sharePeak(step, 5) >= share) {
        return (step + 2.5) * STEP_SECONDS - from;
      }
    }
    return Double.NaN;
  }

  /** Returns the largest share of node 0 over 0.3 seconds. */
  double peakShareOfNode0(double from, double to) {
    double peak = 0;
    for (int step = (int) (from / STEP_SECONDS); step + 3 <= (int) (to / STEP_SECONDS); step++) {
      peak = Math.max(peak, sharePeak(step, 3));
    }
    return peak;
  }

  private double sharePeak(int step, int steps) {
    int first = 0;
    int any = 0;
    for (int i = step; i < step + steps; i++) {
      first += toFirst[i];
      any += toAny[i];
    }
    return any < 20 ? 0 : first / (double) any;
  }

  /** Response times of searches. */
  static final class Latencies {
    private long[] nanos = new long[1 << 12];
    private int count;
    private boolean sorted;

    void add(long value) {
      if (count == nanos.length) {
        nanos = Arrays.copyOf(nanos, 2 * count);
      }
      nanos[count++] = value;
      sorted = false;
    }

    double millis(double quantile) {
      if (count == 0) {
        return Double.NaN;
      }
      if (!sorted) {
        Arrays.sort(nanos, 0, count);
        sorted = true;
      }
      int at = (int) Math.ceil(quantile * count) - 1;
      return nanos[Math.clamp(at, 0, count - 1)] / 1e6;
    }
  }
}
