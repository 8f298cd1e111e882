package dev.weir.routing;

import org.jspecify.annotations.Nullable;

/** One outstanding request in its node's list; guarded by the node's state. */
final class TrackedRequest implements NodeLoadRecorder.OutstandingRequest {
  final NodePhaseState state;
  final long sentAtNanos;
  final int costClass;

  /** The predicted response time, with and without the residual. */
  final double expectedNanos;

  final double predictedNanos;

  /** The predicted response time of a node that serves its queue in order; not over the other. */
  final double inOrderNanos;

  private final NodeLoadRecorder.TrialReason trialReason;
  private final OutcomeListener listener;

  /** Handles how a request ended. Safe on any thread; calls after the first one count nothing. */
  interface OutcomeListener {
    /** A response with its load report, as {@link NodeLoadRecorder.OutstandingRequest} says. */
    void onResponse(TrackedRequest request, int queueSize, long serviceTimeNanos);

    void onResponseWithoutStats(TrackedRequest request);

    void onFailure(TrackedRequest request, NodeLoadRecorder.Failure failure);

    void onAbandon(TrackedRequest request);
  }

  /**
   * The predictions at the time of sending, in nanoseconds.
   *
   * @param expectedNanos the response time
   * @param predictedNanos the response time without the residual
   * @param inOrderNanos the response time if a long queue is served in order
   */
  record Prediction(double expectedNanos, double predictedNanos, double inOrderNanos) {}

  @Nullable TrackedRequest older;
  @Nullable TrackedRequest newer;
  boolean finished;

  TrackedRequest(
      OutcomeListener listener,
      NodePhaseState state,
      long sentAtNanos,
      int costClass,
      Prediction prediction,
      NodeLoadRecorder.TrialReason trialReason) {
    this.listener = listener;
    this.state = state;
    this.sentAtNanos = sentAtNanos;
    this.costClass = costClass;
    this.expectedNanos = prediction.expectedNanos();
    this.predictedNanos = prediction.predictedNanos();
    this.inOrderNanos = prediction.inOrderNanos();
    this.trialReason = trialReason;
  }

  @Override
  public void onResponse(int queueSize, long serviceTimeNanos) {
    listener.onResponse(this, queueSize, serviceTimeNanos);
  }

  @Override
  public void onResponseWithoutStats() {
    listener.onResponseWithoutStats(this);
  }

  @Override
  public void onFailure(NodeLoadRecorder.Failure failure) {
    listener.onFailure(this, failure);
  }

  @Override
  public NodeLoadRecorder.TrialReason trialReason() {
    return trialReason;
  }

  @Override
  public void onAbandon() {
    listener.onAbandon(this);
  }

  /**
   * The outstanding requests of one node, in the order in which they were sent. Changes are guarded
   * by the node's state; any thread may read.
   */
  static final class Outstanding {
    private @Nullable TrackedRequest newest;
    private volatile @Nullable TrackedRequest oldest;

    /** Returns the request that was sent first; null for none. */
    @Nullable TrackedRequest oldest() {
      return oldest;
    }

    /** Adds a request that is sent now. */
    void add(TrackedRequest sent) {
      TrackedRequest last = newest;
      if (last == null) {
        oldest = sent;
      } else {
        last.newer = sent;
        sent.older = last;
      }
      newest = sent;
    }

    /** Removes a request; returns whether it was still there. */
    boolean remove(TrackedRequest request) {
      if (request.finished) {
        return false;
      }
      request.finished = true;
      TrackedRequest before = request.older;
      TrackedRequest after = request.newer;
      if (before == null) {
        oldest = after;
      } else {
        before.newer = after;
      }
      if (after == null) {
        newest = before;
      } else {
        after.older = before;
      }
      request.older = null;
      request.newer = null;
      return true;
    }
  }
}
