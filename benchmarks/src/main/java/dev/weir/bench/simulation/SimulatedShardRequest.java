package dev.weir.bench.simulation;

import java.util.ArrayList;
import java.util.List;

/** The request of a search to one shard. */
final class SimulatedShardRequest {
  final SimulatedSearch search;
  final int shard;
  final int costClass;
  final double costNanos;

  /** The key in nodes' caches; negative for a request that is not cached. */
  long cacheKey = -1;

  int attempts;
  int outstandingAttempts;
  boolean finished;
  final List<SimulatedAttempt> sentAttempts = new ArrayList<>(2);

  SimulatedShardRequest(SimulatedSearch search, int shard, int costClass, double costNanos) {
    this.search = search;
    this.shard = shard;
    this.costClass = costClass;
    this.costNanos = costNanos;
  }

  /** Returns whether an attempt was sent to a node. */
  boolean hasTried(SimulatedNode node) {
    for (SimulatedAttempt attempt : sentAttempts) {
      if (attempt.node == node) {
        return true;
      }
    }
    return false;
  }

  /** A search; complete when all of its shards are. */
  static final class SimulatedSearch {
    final long startedAt;
    final int client;

    /** Whether the gateway that executes it is measured. */
    final boolean measured;

    int remainingShards;
    int heaviestCostClass;
    boolean failed;

    SimulatedSearch(long startedAt, int client, boolean measured, int shards) {
      this.startedAt = startedAt;
      this.client = client;
      this.measured = measured;
      this.remainingShards = shards;
    }
  }
}
