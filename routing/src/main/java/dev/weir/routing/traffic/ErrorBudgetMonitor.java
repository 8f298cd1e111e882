package dev.weir.routing.traffic;

import dev.weir.config.policy.RollbackPolicy;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * Says when other clusters did so much worse than one that everything goes back to it: over a
 * window that slides by a twentieth of itself. Safe on any thread.
 */
public final class ErrorBudgetMonitor {
  private static final int SLICES = 20;
  private static final int SERVER_ERROR = 500;

  private final RollbackPolicy policy;
  private final LongSupplier nanoTime;
  private final long sliceNanos;
  private final int[][] slices = new int[SLICES][Counter.values().length];
  private final long[] sums = new long[Counter.values().length];
  private long slice;

  /** What is counted. */
  private enum Counter {
    TARGET,
    TARGET_ERRORS,
    OTHERS,
    OTHERS_ERRORS,
    COMPARISONS,
    DIFFERENCES
  }

  /** What is to be done. */
  public sealed interface Decision {
    /** Nothing: too little is known to conclude anything, or all is within what is allowed. */
    record NoAction() implements Decision {}

    /**
     * Everything should go back.
     *
     * @param reason for operators
     */
    record RollBack(String reason) implements Decision {}
  }

  /**
   * What was counted within the window.
   *
   * @param target answers of the cluster that is gone back to
   * @param targetErrors those with a status of 500 or more
   * @param others answers of other clusters
   * @param othersErrors likewise
   * @param comparisons shadow reads
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
   * Begins with nothing counted.
   *
   * @param nanoTime the monotonic clock
   */
  public ErrorBudgetMonitor(RollbackPolicy policy, LongSupplier nanoTime) {
    this.policy = policy;
    this.nanoTime = nanoTime;
    this.sliceNanos = Math.max(1, policy.evaluationWindow().toNanos() / SLICES);
    this.slice = Math.floorDiv(nanoTime.getAsLong(), sliceNanos);
  }

  /** Whether anything is ever concluded. */
  public boolean isEnabled() {
    return !policy.targetCluster().isEmpty();
  }

  /** A request was answered, or failed, with a status. */
  public synchronized void onResponse(String cluster, int status) {
    advance();
    boolean error = status >= SERVER_ERROR;
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

  /** A shadow read was compared with the answer that the client got. */
  public synchronized void onComparison(boolean different) {
    advance();
    count(Counter.COMPARISONS);
    if (different) {
      count(Counter.DIFFERENCES);
    }
  }

  /** Forgets what was counted, as after traffic was moved. */
  public synchronized void reset() {
    Arrays.fill(sums, 0);
    for (int[] counts : slices) {
      Arrays.fill(counts, 0);
    }
  }

  /** What was counted within the window. */
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

  /** What is to be done. */
  public Decision decide() {
    if (!isEnabled()) {
      return new Decision.NoAction();
    }
    Counts seen = counts();
    double home = percent(seen.targetErrors(), seen.target());
    double others = percent(seen.othersErrors(), seen.others());
    if (seen.others() >= policy.minRequests() && others - home > policy.maxErrorPercent()) {
      return new Decision.RollBack(
          String.format(
              Locale.ROOT,
              "%.1f %% of %d requests to other clusters failed, %.1f %% of %d to %s (expected: at"
                  + " most %s more)",
              others,
              seen.others(),
              home,
              seen.target(),
              policy.targetCluster(),
              plain(policy.maxErrorPercent())));
    }
    double different = percent(seen.differences(), seen.comparisons());
    if (seen.comparisons() >= policy.minRequests() && different > policy.maxDifferencePercent()) {
      return new Decision.RollBack(
          String.format(
              Locale.ROOT,
              "%.1f %% of %d compared reads differed (expected: at most %s)",
              different,
              seen.comparisons(),
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

  /** Lets go of slices that are older than the window. */
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
