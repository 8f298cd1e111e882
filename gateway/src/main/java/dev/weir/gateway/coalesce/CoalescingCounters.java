package dev.weir.gateway.coalesce;

import java.util.concurrent.atomic.LongAdder;

/** What became of searches that may share an answer. Safe on any thread. */
public final class CoalescingCounters {
  private final LongAdder leaders = new LongAdder();
  private final LongAdder followers = new LongAdder();
  private final LongAdder recordSaved = new LongAdder();
  private final LongAdder recordFull = new LongAdder();
  private final LongAdder recordTooOld = new LongAdder();
  private final LongAdder recordRestart = new LongAdder();

  CoalescingCounters() {}

  void recordLeader() {
    leaders.increment();
  }

  void recordFollower() {
    followers.increment();
  }

  void recordSaved(int searches) {
    recordSaved.add(searches);
  }

  void recordFull() {
    recordFull.increment();
  }

  void recordTooOld() {
    recordTooOld.increment();
  }

  void recordRestart(int searches) {
    recordRestart.add(searches);
  }

  /** Searches that ran and that others joined. */
  public long leaders() {
    return leaders.sum();
  }

  /** Searches that joined another. */
  public long followers() {
    return followers.sum();
  }

  /** Searches that were answered with another's answer. */
  public long savedSearches() {
    return recordSaved.sum();
  }

  /** Searches that began another run because one that is under way had enough followers. */
  public long fullCount() {
    return recordFull.sum();
  }

  /** Searches that began another run because one that is under way had begun too long ago. */
  public long tooOldCount() {
    return recordTooOld.sum();
  }

  /** Searches that restarted because the deadline of the search they had joined passed. */
  public long restarts() {
    return recordRestart.sum();
  }
}
