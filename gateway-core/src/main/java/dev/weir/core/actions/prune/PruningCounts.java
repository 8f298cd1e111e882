package dev.weir.core.actions.prune;

import java.util.concurrent.atomic.LongAdder;

/** Counts the outcomes of searches with prunable shards. Safe on any thread. */
public final class PruningCounts {
  private final LongAdder prunedSearches = new LongAdder();
  private final LongAdder unconfirmedSearches = new LongAdder();
  private final LongAdder restartedSearches = new LongAdder();
  private final LongAdder tooFewShardsSearches = new LongAdder();
  private final LongAdder shards = new LongAdder();
  private final LongAdder copies = new LongAdder();

  /** Counts a search; {@code byCopies} of its skipped shards are of indices that take writes. */
  void recordPruned(int skipped, int byCopies) {
    prunedSearches.increment();
    shards.add(skipped);
    copies.add(byCopies);
  }

  void recordUnconfirmed() {
    unconfirmedSearches.increment();
  }

  void recordRestart() {
    restartedSearches.increment();
  }

  void recordTooFewShards() {
    tooFewShardsSearches.increment();
  }

  /** Returns the searches with pruned shards. */
  public long prunedSearches() {
    return prunedSearches.sum();
  }

  /**
   * Returns the searches that went to all shards because a node did not confirm the gateway's view.
   */
  public long unconfirmedSearches() {
    return unconfirmedSearches.sum();
  }

  /** Returns the searches with pruned shards that started over because a shard failed. */
  public long restartedSearches() {
    return restartedSearches.sum();
  }

  /** Returns the searches that went to all shards because the confirmation would have cost more. */
  public long tooFewShardsSearches() {
    return tooFewShardsSearches.sum();
  }

  /** Returns the pruned shards. */
  public long skippedShards() {
    return shards.sum();
  }

  /** Returns those pruned shards that are of indices that take writes. */
  public long skippedWritableShards() {
    return copies.sum();
  }
}
