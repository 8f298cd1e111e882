package dev.weir.bench.simulation;

import java.util.ArrayList;
import java.util.List;

/** A search's request to one shard. */
final class ShardRequest {
  final Search search;
  final Gate gate;
  final int shard;
  final int costClass;
  final double costNanos;

  /** What a cache knows it by; negative where nothing is cached. */
  long key = -1;

  int attempts;
  int live;
  long tried;
  boolean done;
  final List<Attempt> sent = new ArrayList<>(2);

  ShardRequest(Search search, Gate gate, int shard, int costClass, double costNanos) {
    this.search = search;
    this.gate = gate;
    this.shard = shard;
    this.costClass = costClass;
    this.costNanos = costNanos;
  }

  /** A search: over when all of its shards are. */
  static final class Search {
    final long startedAt;
    final int client;
    int left;
    int heaviest;
    boolean failed;

    Search(long startedAt, int client, int shards) {
      this.startedAt = startedAt;
      this.client = client;
      this.left = shards;
    }
  }
}
