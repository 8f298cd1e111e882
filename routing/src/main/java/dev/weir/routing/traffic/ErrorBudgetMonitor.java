package dev.weir.routing.traffic;

import dev.weir.config.policy.RollbackPolicy;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * Decides when all traffic should return to one cluster because the others did much worse. It
 * counts over a window that slides in twentieths. Safe on any thread.
 */
public final class ErrorBudgetMonitor {
  private static final int SLICES = 20;

  private final RollbackPolicy policy;
  private final LongSupplier nanoTime;
  private final long sliceNanos;
  private final int[][] slices = new int[SLICES][Counter.values().length];
  private final long[] sums = new long[Counter.values().length];
  private long slice;

  /** A counter of the window. */
  private enum Counter {
    TARGET,
    TARGET_ERRORS,
    OTHERS,
    OTHERS_ERRORS,
    COMPARISONS,
    DIFFERENCES
  }

  /** The decision about traffic. */
  public sealed interface Decision {
    /** Keeps the traffic: there is too little data, or everything is within its bounds. */
    record NoAction() implements Decision {}

    /**
     * Returns all traffic to the target cluster.
     *
     * @param reason for operators
     */
    record RollBack(String reason) implements Decision {}
  }

  /**
   * The counts within the window.
   *
   * @param target responses of the cluster that traffic returns to
   * @param targetErrors those that failed because nodes were lost
   * @param others responses of other clusters
   * @param othersErrors those that failed because nodes were lost
   * @param comparisons compared shadow reads
   * @param differences those that differed
   */
  public record Counts(
      long target,
      long targetErrors,
      long others,
      long othersErrors,
      long comparisons,
      long differences) {}

  /**
   * Starts at zero.
   *
   * @param nanoTime the monotonic clock
   */
  public ErrorBudgetMonitor(RollbackPolicy policy, LongSupplier nanoTime) {
    this.policy = policy;
    this.nanoTime = nanoTime;
    this.sliceNanos = Math.max(1, policy.evaluationWindow().toNanos() / SLICES);
    this.slice = Math.floorDiv(nanoTime.getAsLong(), sliceNanos);
  }

  /** Returns true if the policy has a target cluster for a rollback. */
  public boolean isEnabled() {
    return !policy.targetCluster().isEmpty();
  }

  /**
   * Counts a response.
   *
   * @param error whether it failed, or is incomplete, because nodes were lost
   */
  public synchronized void onResponse(String cluster, boolean error) {
    advance();
    if (cluster.equals(policy.targetCluster())) {
      count(Counter.TARGET);
      if (error) {
        count(Counter.TARGET_ERRORS);
      }
    } else {
      count(Counter.OTHERS);
      if (error) {
        count(Counter.OTHERS_ERRORS);
      }
    }
  }

  /** Counts the comparison of a shadow read with the client's response. */
  public synchronized void onComparison(boolean different) {
    advance();
    count(Counter.COMPARISONS);
    if (different) {
      count(Counter.DIFFERENCES);
    }
  }

  /** Resets the counts, for example after traffic was moved. */
  public synchronized void reset() {
    Arrays.fill(sums, 0);
    for (int[] counts : slices) {
      Arrays.fill(counts, 0);
    }
  }

  /** Returns the counts within the window. */
  public synchronized Counts counts() {
    advance();
    return new Counts(
        sum(Counter.TARGET),
        sum(Counter.TARGET_ERRORS),
        sum(Counter.OTHERS),
        sum(Counter.OTHERS_ERRORS),
        sum(Counter.COMPARISONS),
        sum(Counter.DIFFERENCES));
  }

  /** Decides by the counts within the window. */
  public Decision decide() {
    if (!isEnabled()) {
      return new Decision.NoAction();
    }
    Counts current = counts();
    double targetPercent = percent(current.targetErrors(), current.target());
    double others = percent(current.othersErrors(), current.others());
    if (current.others() >= policy.minRequests()
        && others - targetPercent > policy.maxErrorPercent()) {
      return new Decision.RollBack(
          String.format(
              Locale.ROOT,
              "%.1f %% of %d requests to other clusters failed, %.1f %% of %d to %s (expected: at"
                  + " most %s more)",
              others,
              current.others(),
              targetPercent,
              current.target(),
              policy.targetCluster(),
              plain(policy.maxErrorPercent())));
    }
    double different = percent(current.differences(), current.comparisons());
    if (current.comparisons() >= policy.minRequests()
        && different > policy.maxDifferencePercent()) {
      return new Decision.RollBack(
          String.format(
              Locale.ROOT,
              "%.1f %% of %d compared reads differed (expected: at most %s)",
              different,
              current.comparisons(),
              plain(policy.maxDifferencePercent())));
    }
    return new Decision.NoAction();
  }

  private static String plain(double percent) {
    return (percent == Math.rint(percent)
            ? Long.toString((long) percent)
            : Double.toString(percent))
        + " %";
  }

  private static double percent(long part, long all) {
    return all == 0 ? 0 : 100.0 * part / all;
  }

  private void count(Counter what) {
    slices[index(slice)][what.ordinal()]++;
    sums[what.ordinal()]++;
  }

  private long sum(Counter what) {
    return sums[what.ordinal()];
  }

  /** Drops the slices before the window. */
  private void advance() {
    long now = Math.floorDiv(nanoTime.getAsLong(), sliceNanos);
    long steps = Math.min(now - slice, SLICES);
    for (long step = 1; step <= steps; step++) {
      int[] oldest = slices[index(slice + step)];
      for (int i = 0; i < oldest.length; i++) {
        sums[i] -= oldest[i];
        oldest[i] = 0;
      }
    }
    slice = Math.max(slice, now);
  }

  private static int index(long slice) {
    return (int) Math.floorMod(slice, (long) SLICES);
  }
}
