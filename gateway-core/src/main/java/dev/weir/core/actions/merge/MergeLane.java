package dev.weir.core.actions.merge;

import dev.weir.core.coordinate.NodeSender;
import java.util.function.LongSupplier;

/** What the calls of one {@link MergeQueue} need of it. Confined to one event loop. */
interface MergeLane {
  /** Sends calls. */
  NodeSender sender();

  /** A monotonic clock, in nanoseconds. */
  LongSupplier nanoTime();

  /** The node that all calls go to. */
  String nodeId();

  /** Counts a call that is sent. */
  void onCallStarted();

  /** Counts a call that has its outcome, or whose outcome is no longer needed. */
  void onCallEnded();
}
