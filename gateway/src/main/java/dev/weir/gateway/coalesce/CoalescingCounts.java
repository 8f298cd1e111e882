package dev.weir.gateway.coalesce;

import java.util.concurrent.atomic.LongAdder;

/** What became of searches that may share an answer. Safe on any thread. */
public final class CoalescingCounts {
  private final LongAdder leaders = new LongAdder();
  private final LongAdder followers = new LongAdder();
  private final LongAdder saved = new LongAdder();
  private final LongAdder full = new LongAdder();
  private final LongAdder old = new LongAdder();
  private final LongAdder again = new LongAdder();

  CoalescingCounts() {}

  void led() {
    leaders.increment();
  }

  void followed() {
    followers.increment();
  }

  void saved(int searches) {
    saved.add(searches);
  }

  void full() {
    full.increment();
  }

  void old() {
    old.increment();
  }

  void again(int searches) {
    again.add(searches);
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
    return saved.sum();
  }

  /** Searches that began another run because one that is under way had enough followers. */
  public long fullLeaders() {
    return full.sum();
  }

  /** Searches that began another run because one that is under way had begun too long ago. */
  public long oldLeaders() {
    return old.sum();
  }

  /** Searches that began anew because the deadline of the one that they had joined had passed. */
  public long begunAnew() {
    return again.sum();
  }
}
