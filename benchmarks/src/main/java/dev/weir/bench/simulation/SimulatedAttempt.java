package dev.weir.bench.simulation;

import dev.weir.routing.NodeLoadRecorder;

/** One attempt of a shard request on a node. */
final class SimulatedAttempt {
  final SimulatedShardRequest request;
  final SimulatedNode node;
  final ResponseListener listener;
  final NodeLoadRecorder.OutstandingRequest outstanding;
  final long sentNanos;
  double workNanos;
  long arrivedNanos;

  /** The requests at the node when this one arrived. */
  int loadAtArrival;

  long finishNanos;
  boolean cancelled;
  boolean finished;

  SimulatedAttempt(
      SimulatedShardRequest request,
      SimulatedNode node,
      NodeLoadRecorder.OutstandingRequest outstanding,
      long sentNanos,
      ResponseListener listener) {
    this.request = request;
    this.node = node;
    this.outstanding = outstanding;
    this.sentNanos = sentNanos;
    this.listener = listener;
  }

  /** The outcome of an attempt. */
  enum Status {
    OK,
    ERROR,
    REJECTED
  }

  /** Receives a node's response. */
  interface ResponseListener {
    /** Receives the outcome, with the load that the node reports; negative for no report. */
    void onResponse(SimulatedAttempt attempt, Status status, int queue, long serviceNanos);
  }
}
