package dev.weir.core.actions.warmup;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The warm-up of one copy: it gets all remembered searches, in rounds, until rounds have got hardly
 * faster for some time. A search that fails is left out. Confined to one thread.
 *
 * <p>The first round fills the node's request cache as clients' searches would. The later ones go
 * around it: else they would measure the cache, and leave cold what computes a response.
 */
final class CopyWarmUp {
  /** A round that takes over this part of the fastest one is hardly faster. */
  private static final double STEADY_RATIO = 0.9;

  /**
   * How long rounds get hardly faster before the copy is warm. The JVM of a node compiles in steps,
   * with seconds in between.
   */
  static final Duration MIN_STEADY_TIME = Duration.ofSeconds(5);

  private static final int MAX_FAILURES = 3;

  private final NewCopies.NewCopy copy;
  private final List<RememberedSearch> searches;
  private final long endNanos;
  private int next;
  private int inFlight;
  private long roundNanos;
  private int round;
  private long fastestNanos = Long.MAX_VALUE;
  private long fasterAtNanos;
  private int failuresInARow;
  private boolean hasRoundFailed;
  private @Nullable WarmUpEnd end;

  /**
   * Prepares a warm-up.
   *
   * @param searches what to send; not empty
   * @param endNanos when it ends at the latest
   */
  CopyWarmUp(NewCopies.NewCopy copy, List<RememberedSearch> searches, long endNanos) {
    this.copy = copy;
    this.searches = new ArrayList<>(searches);
    this.endNanos = endNanos;
  }

  NewCopies.NewCopy copy() {
    return copy;
  }

  /** Returns the next search to send now; null if the round has none left, or it has ended. */
  @Nullable RememberedSearch poll() {
    if (end != null || next == searches.size()) {
      return null;
    }
    inFlight++;
    return searches.get(next++);
  }

  /** Returns whether its next search may be answered from the node's request cache. */
  boolean usesRequestCache() {
    return round == 0;
  }

  /**
   * Called for each response.
   *
   * @param nowNanos when it came
   * @param tookNanos since its search was sent
   */
  void onResponse(long nowNanos, long tookNanos) {
    failuresInARow = 0;
    roundNanos += tookNanos;
    onAnswer(nowNanos);
  }

  /** Leaves the search out from now on: it may fail each time. */
  void onFailure(long nowNanos, RememberedSearch failed) {
    hasRoundFailed = true; // its time says nothing, and later rounds are shorter
    fastestNanos = Long.MAX_VALUE;
    int at = searches.indexOf(failed);
    if (at >= 0) {
      searches.remove(at);
      next -= at < next ? 1 : 0;
    }
    if (++failuresInARow >= MAX_FAILURES || searches.isEmpty()) {
      end(WarmUpEnd.FAILED);
    }
    onAnswer(nowNanos);
  }

  private void onAnswer(long nowNanos) {
    inFlight--;
    if (inFlight > 0 || next < searches.size()) {
      return;
    }
    if (!hasRoundFailed && round > 0) { // the first round had the request cache
      if (fastestNanos == Long.MAX_VALUE || roundNanos <= fastestNanos * STEADY_RATIO) {
        fastestNanos = roundNanos;
        fasterAtNanos = nowNanos;
      } else if (nowNanos - fasterAtNanos >= MIN_STEADY_TIME.toNanos()) {
        end(WarmUpEnd.STEADY);
      }
    }
    hasRoundFailed = false;
    roundNanos = 0;
    round++;
    next = 0;
  }

  /** Ends it, if it has not ended for another reason. */
  void end(WarmUpEnd reason) {
    if (end == null) {
      end = reason;
    }
  }

  /** Returns why it has ended; null while it has not. */
  @Nullable WarmUpEnd ended(long nowNanos) {
    if (nowNanos - endNanos >= 0) {
      end(WarmUpEnd.MAX_DURATION);
    }
    return end;
  }
}
