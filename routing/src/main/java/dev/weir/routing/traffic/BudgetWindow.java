package dev.weir.routing.traffic;

import dev.weir.config.policy.RollbackPolicy;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * Says when other clusters did so much worse than one that everything goes back to it: over a
 * window that slides by a twentieth of itself. Safe on any thread.
 */
public final class BudgetWindow {
  private static final int SLICES = 20;
  private static final int SERVER_ERROR = 500;

  private final RollbackPolicy policy;
  private final LongSupplier nanoTime;
  private final long sliceNanos;
  private final int[][] slices = new int[SLICES][Count.values().length];
  private final long[] sums = new long[Count.values().length];
  private long slice;

  /** What is counted. */
  private enum Count {
    HOME,
    HOME_ERRORS,
    OTHERS,
    OTHERS_ERRORS,
    COMPARED,
    DIFFERENT
  }

  /** What is to be done. */
  public sealed interface Verdict {
    /** Nothing: too little is known to conclude anything, or all is within what is allowed. */
    record Stay() implements Verdict {}

    /**
     * Everything should go back.
     *
     * @param why for operators
     */
    record RollBack(String why) implements Verdict {}
  }

  /**
   * What was counted within the window.
   *
   * @param home answers of the cluster that is gone back to
   * @param homeErrors those with a status of 500 or more
   * @param others answers of other clusters
   * @param othersErrors likewise
   * @param compared shadow reads
   * @param different those that differed
   */
  public record Figures(
      long home, long homeErrors, long others, long othersErrors, long compared, long different) {}

  /**
   * Begins with nothing counted.
   *
   * @param nanoTime the monotonic clock
   */
  public BudgetWindow(RollbackPolicy policy, LongSupplier nanoTime) {
    this.policy = policy;
    this.nanoTime = nanoTime;
    this.sliceNanos = Math.max(1, policy.window().toNanos() / SLICES);
    this.slice = Math.floorDiv(nanoTime.getAsLong(), sliceNanos);
  }

  /** Whether anything is ever concluded. */
  public boolean watches() {
    return !policy.to().isEmpty();
  }

  /** A request was answered, or failed, with a status. */
  public synchronized void answered(String cluster, int status) {
    slide();
    boolean error = status >= SERVER_ERROR;
    if (cluster.equals(policy.to())) {
      count(Count.HOME);
      if (error) {
        count(Count.HOME_ERRORS);
      }
    } else {
      count(Count.OTHERS);
      if (error) {
        count(Count.OTHERS_ERRORS);
      }
    }
  }

  /** A shadow read was compared with the answer that the client got. */
  public synchronized void compared(boolean different) {
    slide();
    count(Count.COMPARED);
    if (different) {
      count(Count.DIFFERENT);
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
  public synchronized Figures figures() {
    slide();
    return new Figures(
        sum(Count.HOME),
        sum(Count.HOME_ERRORS),
        sum(Count.OTHERS),
        sum(Count.OTHERS_ERRORS),
        sum(Count.COMPARED),
        sum(Count.DIFFERENT));
  }

  /** What is to be done. */
  public Verdict verdict() {
    if (!watches()) {
      return new Verdict.Stay();
    }
    Figures seen = figures();
    double home = percent(seen.homeErrors(), seen.home());
    double others = percent(seen.othersErrors(), seen.others());
    if (seen.others() >= policy.minRequests() && others - home > policy.maxErrors()) {
      return new Verdict.RollBack(
          String.format(
              Locale.ROOT,
              "%.1f %% of %d requests to other clusters failed, %.1f %% of %d to %s (expected: at"
                  + " most %s more)",
              others,
              seen.others(),
              home,
              seen.home(),
              policy.to(),
              plain(policy.maxErrors())));
    }
    double different = percent(seen.different(), seen.compared());
    if (seen.compared() >= policy.minRequests() && different > policy.maxDifferences()) {
      return new Verdict.RollBack(
          String.format(
              Locale.ROOT,
              "%.1f %% of %d compared reads differed (expected: at most %s)",
              different,
              seen.compared(),
              plain(policy.maxDifferences())));
    }
    return new Verdict.Stay();
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

  private void count(Count what) {
    slices[index(slice)][what.ordinal()]++;
    sums[what.ordinal()]++;
  }

  private long sum(Count what) {
    return sums[what.ordinal()];
  }

  /** Lets go of slices that are older than the window. */
  private void slide() {
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
