package dev.weir.routing;

import org.jspecify.annotations.Nullable;

/** One request on its way to a node, in the list of all that are; guarded by its node's state. */
final class TrackedRequest implements NodeLoadRecorder.OutstandingRequest {
  final NodeLoadTracker tracker;
  final NodePhaseState state;
  final long sentAtNanos;
  final int costClass;

  /** What the node's answer is predicted to take, with the residual and without it. */
  final double expectedNanos;

  final double predictedNanos;

  private final NodeLoadRecorder.TrialReason trialReason;

  /** What is thought of a request when it is sent. */
  record Prediction(
      double expectedNanos, double predictedNanos, NodeLoadRecorder.TrialReason trialReason) {}

  @Nullable TrackedRequest older;
  @Nullable TrackedRequest newer;
  boolean finished;

  TrackedRequest(
      NodeLoadTracker tracker,
      NodePhaseState state,
      long sentAtNanos,
      int costClass,
      Prediction prediction) {
    this.tracker = tracker;
    this.state = state;
    this.sentAtNanos = sentAtNanos;
    this.costClass = costClass;
    this.expectedNanos = prediction.expectedNanos();
    this.predictedNanos = prediction.predictedNanos();
    this.trialReason = prediction.trialReason();
  }

  /** What an answer that comes now took; what was expected where this process stood still. */
  long responseNanos(long now) {
    return tracker.spansLocalPause(this, now)
        ? (long) expectedNanos
        : Math.max(0, now - sentAtNanos);
  }

  @Override
  public void onResponse(int queueSize, long serviceTimeNanos) {
    tracker.onResponse(this, queueSize, serviceTimeNanos);
  }

  @Override
  public void onResponseWithoutStats() {
    tracker.onResponseWithoutStats(this);
  }

  @Override
  public void onFailure(NodeLoadRecorder.Failure failure) {
    tracker.onFailure(this, failure);
  }

  @Override
  public NodeLoadRecorder.TrialReason trialReason() {
    return trialReason;
  }

  @Override
  public void onAbandon() {
    tracker.onAbandon(this);
  }
}
