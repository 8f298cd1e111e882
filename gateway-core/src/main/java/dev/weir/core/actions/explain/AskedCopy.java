package dev.weir.core.actions.explain;

import dev.weir.model.ShardNotes.Outcome;
import dev.weir.model.ShardNotes.Why;
import org.jspecify.annotations.Nullable;

/** A copy that was asked. Written on the request's home, read on any thread. */
final class AskedCopy {
  private final String phase;
  private final String nodeId;
  private final Why why;
  private final long askedNanos;
  private final @Nullable AskedCopy before;

  /** Written before {@link #outcome}, without which it says nothing. */
  private long overNanos;

  private volatile @Nullable Outcome outcome;

  /**
   * Makes one that is under way.
   *
   * @param before the one of the same shard that was asked before it
   */
  AskedCopy(String phase, String nodeId, Why why, long nowNanos, @Nullable AskedCopy before) {
    this.phase = phase;
    this.nodeId = nodeId;
    this.why = why;
    this.askedNanos = nowNanos;
    this.before = before;
  }

  /** It has come to its end. */
  void over(Outcome how, long nowNanos) {
    overNanos = nowNanos;
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

  Why why() {
    return why;
  }

  /** What became of it; null while it is under way. */
  @Nullable Outcome outcome() {
    return outcome;
  }

  long askedNanos() {
    return askedNanos;
  }

  /** To be read after an outcome. */
  long overNanos() {
    return overNanos;
  }

  /** The one of the same shard that was asked before it. */
  @Nullable AskedCopy before() {
    return before;
  }
}
