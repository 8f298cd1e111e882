package dev.weir.core.actions.explain;

import dev.weir.model.ShardRoutingRecorder.Reason;

/** Counts the calls of one request. Confined to the request's event loop. */
interface RoutingCallLog {
  /** Counts a call; returns whether it is kept. */
  boolean tryAddCall(Reason reason);

  /** Marks the request as worth keeping for longer, because a copy failed or was lost. */
  void markRemarkable();

  /** A monotonic clock, in nanoseconds. */
  long nanoTime();
}
