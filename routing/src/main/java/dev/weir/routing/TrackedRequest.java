package dev.weir.routing;

import org.jspecify.annotations.Nullable;

/** One outstanding request in its node's list; guarded by the node's state. */
final class TrackedRequest implements NodeLoadRecorder.OutstandingRequest {
  final NodeLoadTracker tracker;
  final NodePhaseState state;
  final long sentAtNanos;
  final int costClass;

  /** The predicted response time, with and without the residual. */
  final double expectedNanos;

  final double predictedNanos;

  private final NodeLoadRecorder.TrialReason trialReason;

  /** The predictions at the time of sending. */
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

  /** Returns the response time; the expected one if this process paused meanwhile. */
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
