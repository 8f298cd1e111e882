package dev.weir.core.actions.explain;

import dev.weir.model.ShardRoutingRecorder.Outcome;
import dev.weir.model.ShardRoutingRecorder.Reason;
import org.jspecify.annotations.Nullable;

/** A copy that was asked. Written on the request's event loop, read on any thread. */
final class CopyCall {
  private final String phase;
  private final String nodeId;
  private final Reason reason;
  private final long startNanos;
  private final @Nullable CopyCall previous;

  /** Written before {@link #outcome}, without which it says nothing. */
  private long endNanos;

  private volatile @Nullable Outcome outcome;

  /**
   * Makes one that is under way.
   *
   * @param before the one of the same shard that was asked before it
   */
  CopyCall(String phase, String nodeId, Reason why, long nowNanos, @Nullable CopyCall before) {
    this.phase = phase;
    this.nodeId = nodeId;
    this.reason = why;
    this.startNanos = nowNanos;
    this.previous = before;
  }

  /** It has come to its end. */
  void end(Outcome how, long nowNanos) {
    endNanos = nowNanos;
    outcome = how;
  }

  /** What it answered counts no more. */
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

  /** What became of it; null while it is under way. */
  @Nullable Outcome outcome() {
    return outcome;
  }

  long startNanos() {
    return startNanos;
  }

  /** To be read after an outcome. */
  long endNanos() {
    return endNanos;
  }

  /** The one of the same shard that was asked before it. */
  @Nullable CopyCall previous() {
    return previous;
  }
}
