package dev.weir.bench.simulation;

import dev.weir.routing.NodeLoadRecorder;

/** One attempt of a shard request on a node. */
final class SimulatedAttempt {
  final SimulatedShardRequest request;
  final SimulatedNode node;
  final NodeLoadRecorder.OutstandingRequest outstanding;
  double workNanos;
  long finishNanos;
  boolean cancelled;
  boolean finished;

  SimulatedAttempt(
      SimulatedShardRequest request,
      SimulatedNode node,
      NodeLoadRecorder.OutstandingRequest outstanding) {
    this.request = request;
    this.node = node;
    this.outstanding = outstanding;
  }
}
