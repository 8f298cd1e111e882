package dev.weir.bench.simulation;

import dev.weir.routing.NodeLoads;

/** One sending of a shard request to a node. */
final class Attempt {
  final ShardRequest request;
  final DataNode node;
  final NodeLoads.Outstanding outstanding;
  double workNanos;
  long finishAt;
  boolean cancelled;
  boolean over;

  Attempt(ShardRequest request, DataNode node, NodeLoads.Outstanding outstanding) {
    this.request = request;
    this.node = node;
    this.outstanding = outstanding;
  }
}
