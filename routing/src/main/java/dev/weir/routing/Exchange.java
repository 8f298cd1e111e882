package dev.weir.routing;

import org.jspecify.annotations.Nullable;

/** One request on its way to a node, in the list of all that are; guarded by its node's state. */
final class Exchange implements NodeLoads.Outstanding {
  final NodeLoadTracker tracker;
  final NodeState state;
  final long sentAtNanos;
  final int costClass;

  /** What the node's answer is predicted to take, with the residual and without it. */
  final double expectedNanos;

  final double predictedNanos;

  private final NodeLoads.Trial trial;

  /** What is thought of a request when it is sent. */
  record Prediction(double expectedNanos, double predictedNanos, NodeLoads.Trial trial) {}

  @Nullable Exchange older;
  @Nullable Exchange newer;
  boolean settled;

  Exchange(
      NodeLoadTracker tracker,
      NodeState state,
      long sentAtNanos,
      int costClass,
      Prediction prediction) {
    this.tracker = tracker;
    this.state = state;
    this.sentAtNanos = sentAtNanos;
    this.costClass = costClass;
    this.expectedNanos = prediction.expectedNanos();
    this.predictedNanos = prediction.predictedNanos();
    this.trial = prediction.trial();
  }

  /** What an answer that comes now took; what was expected where this process stood still. */
  long responseNanos(long now) {
    return tracker.overslept(this, now) ? (long) expectedNanos : Math.max(0, now - sentAtNanos);
  }

  @Override
  public void replied(int queueSize, long serviceTimeNanos) {
    tracker.replied(this, queueSize, serviceTimeNanos);
  }

  @Override
  public void answered() {
    tracker.answered(this);
  }

  @Override
  public void failed(NodeLoads.Failure failure) {
    tracker.failed(this, failure);
  }

  @Override
  public NodeLoads.Trial trial() {
    return trial;
  }

  @Override
  public void abandoned() {
    tracker.abandoned(this);
  }
}
