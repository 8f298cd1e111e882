package dev.weir.core.actions.merge;

import dev.weir.core.coordinate.NodeSender;
import java.util.function.LongSupplier;

/** The services of a {@link MergeQueue} that its calls use. Confined to one event loop. */
interface MergeServices {
  NodeSender sender();

  /** A monotonic clock, in nanoseconds. */
  LongSupplier nanoTime();

  /** Returns the node that all calls go to. */
  String nodeId();

  /** Counts a sent call. */
  void onCallStarted();

  /** Counts a call that has ended, or whose outcome is no longer needed. */
  void onCallEnded();
}
