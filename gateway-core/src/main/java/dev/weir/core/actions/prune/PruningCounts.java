package dev.weir.core.actions.prune;

import java.util.concurrent.atomic.LongAdder;

/** What became of searches of which shards could be left out. Safe on any thread. */
public final class PruningCounts {
  private final LongAdder pruned = new LongAdder();
  private final LongAdder unconfirmed = new LongAdder();
  private final LongAdder repeated = new LongAdder();
  private final LongAdder tooFew = new LongAdder();
  private final LongAdder shards = new LongAdder();

  void pruned(int skipped) {
    pruned.increment();
    shards.add(skipped);
  }

  void unconfirmed() {
    unconfirmed.increment();
  }

  void repeated() {
    repeated.increment();
  }

  void tooFew() {
    tooFew.increment();
  }

  /** Searches of which shards were left out. */
  public long prunedSearches() {
    return pruned.sum();
  }

  /** Searches that went to all shards because some node did not confirm the gateway's view. */
  public long unconfirmedSearches() {
    return unconfirmed.sum();
  }

  /** Searches of which shards were left out, and that began once more because a shard failed. */
  public long repeatedSearches() {
    return repeated.sum();
  }

  /** Searches that went to all shards because asking for the proof would have cost more. */
  public long tooFewShards() {
    return tooFew.sum();
  }

  /** Shards that were left out. */
  public long skippedShards() {
    return shards.sum();
  }
}
