package dev.weir.core.actions.warmup;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The warm-up of one copy: it gets all remembered searches, in rounds, until a round is hardly
 * faster than the one before. A search that fails is left out. Confined to one thread.
 */
final class CopyWarmUp {
  /** A round that takes over this part of the one before is no longer faster. */
  private static final double STEADY_RATIO = 0.85;

  private static final int MAX_FAILURES = 3;

  private final NewCopies.NewCopy copy;
  private final List<RememberedSearch> searches;
  private final long endNanos;
  private int next;
  private int inFlight;
  private long roundNanos;
  private long lastRoundNanos = Long.MAX_VALUE;
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

  void onResponse(long tookNanos) {
    failuresInARow = 0;
    roundNanos += tookNanos;
    onAnswer();
  }

  /** Leaves the search out from now on: it may fail each time. */
  void onFailure(RememberedSearch failed) {
    hasRoundFailed = true; // its time says nothing, and later rounds are shorter
    lastRoundNanos = Long.MAX_VALUE;
    int at = searches.indexOf(failed);
    if (at >= 0) {
      searches.remove(at);
      next -= at < next ? 1 : 0;
    }
    if (++failuresInARow >= MAX_FAILURES || searches.isEmpty()) {
      end(WarmUpEnd.FAILED);
    }
    onAnswer();
  }

  private void onAnswer() {
    inFlight--;
    if (inFlight > 0 || next < searches.size()) {
      return;
    }
    if (!hasRoundFailed) {
      if (lastRoundNanos != Long.MAX_VALUE && roundNanos > lastRoundNanos * STEADY_RATIO) {
        end(WarmUpEnd.STEADY);
      }
      lastRoundNanos = roundNanos;
    }
    hasRoundFailed = false;
    roundNanos = 0;
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
