package dev.weir.gateway.coalesce;

import java.util.concurrent.atomic.LongAdder;

/** Counts the outcomes of searches that may share a response. Safe on any thread. */
public final class CoalescingCounters {
  private final LongAdder leaders = new LongAdder();
  private final LongAdder followers = new LongAdder();
  private final LongAdder savedSearches = new LongAdder();
  private final LongAdder fullCount = new LongAdder();
  private final LongAdder tooOldCount = new LongAdder();
  private final LongAdder restarts = new LongAdder();

  CoalescingCounters() {}

  void recordLeader() {
    leaders.increment();
  }

  void recordFollower() {
    followers.increment();
  }

  void recordSaved(int searches) {
    savedSearches.add(searches);
  }

  void recordFull() {
    fullCount.increment();
  }

  void recordTooOld() {
    tooOldCount.increment();
  }

  void recordRestart(int searches) {
    restarts.add(searches);
  }

  /** Searches that ran and were joined by others. */
  public long leaders() {
    return leaders.sum();
  }

  /** Searches that joined another. */
  public long followers() {
    return followers.sum();
  }

  /** Searches that got the response of another search. */
  public long savedSearches() {
    return savedSearches.sum();
  }

  /** Searches that ran themselves because the running one had the maximum of followers. */
  public long fullCount() {
    return fullCount.sum();
  }

  /** Searches that ran themselves because the running one had started too long ago. */
  public long tooOldCount() {
    return tooOldCount.sum();
  }

  /** Searches that restarted because the deadline of the search they had joined passed. */
  public long restarts() {
    return restarts.sum();
  }
}
