package dev.weir.bench.simulation;

import dev.weir.routing.NodeLoadRecorder;

/** One attempt of a shard request on a node. */
final class SimulatedAttempt {
  final SimulatedShardRequest request;
  final ResponseListener listener;
  final NodeLoadRecorder.OutstandingRequest outstanding;
  double workNanos;
  long finishNanos;
  boolean cancelled;
  boolean finished;

  SimulatedAttempt(
      SimulatedShardRequest request,
      NodeLoadRecorder.OutstandingRequest outstanding,
      ResponseListener listener) {
    this.request = request;
    this.outstanding = outstanding;
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
