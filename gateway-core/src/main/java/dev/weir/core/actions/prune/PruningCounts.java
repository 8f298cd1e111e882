package dev.weir.core.actions.prune;

import java.util.concurrent.atomic.LongAdder;

/** What became of searches of which shards could be left out. Safe on any thread. */
public final class PruningCounts {
  private final LongAdder prunedSearches = new LongAdder();
  private final LongAdder unconfirmedSearches = new LongAdder();
  private final LongAdder restartedSearches = new LongAdder();
  private final LongAdder tooFewShardsSearches = new LongAdder();
  private final LongAdder shards = new LongAdder();

  void recordPruned(int skipped) {
    prunedSearches.increment();
    shards.add(skipped);
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

  /** Searches of which shards were left out. */
  public long prunedSearches() {
    return prunedSearches.sum();
  }

  /** Searches that went to all shards because some node did not confirm the gateway's view. */
  public long unconfirmedSearches() {
    return unconfirmedSearches.sum();
  }

  /** Searches of which shards were left out, and that began once more because a shard failed. */
  public long restartedSearches() {
    return restartedSearches.sum();
  }

  /** Searches that went to all shards because asking for the proof would have cost more. */
  public long tooFewShardsSearches() {
    return tooFewShardsSearches.sum();
  }

  /** Shards that were left out. */
  public long skippedShards() {
    return shards.sum();
  }
}
