package dev.weir.core.actions.explain;

import dev.weir.model.ShardRoutingRecorder.Outcome;
import dev.weir.model.ShardRoutingRecorder.Reason;
import org.jspecify.annotations.Nullable;

/** A call to one copy of a shard. Written on the request's event loop, read on any thread. */
final class CopyCall {
  private final String phase;
  private final String nodeId;
  private final Reason reason;
  private final long startNanos;
  private final @Nullable CopyCall previous;

  /** Written before {@link #outcome}; meaningless without an outcome. */
  private long endNanos;

  private volatile @Nullable Outcome outcome;

  /**
   * Creates a running call.
   *
   * @param before the previous call for the same shard
   */
  CopyCall(String phase, String nodeId, Reason why, long nowNanos, @Nullable CopyCall before) {
    this.phase = phase;
    this.nodeId = nodeId;
    this.reason = why;
    this.startNanos = nowNanos;
    this.previous = before;
  }

  /** Ends the call. */
  void end(Outcome how, long nowNanos) {
    endNanos = nowNanos;
    outcome = how;
  }

  /** Changes the outcome of an ended call whose response is discarded. */
  void revise(Outcome how) {
    outcome = how;
  }

  String phase() {
    return phase;
  }

  String nodeId() {
    return nodeId;
  }

  Reason reason() {
    return reason;
  }

  /** Returns the outcome; null while the call runs. */
  @Nullable Outcome outcome() {
    return outcome;
  }

  long startNanos() {
    return startNanos;
  }

  /** Returns the end; read it only after an outcome. */
  long endNanos() {
    return endNanos;
  }

  /** Returns the previous call for the same shard. */
  @Nullable CopyCall previous() {
    return previous;
  }
}
