package dev.weir.core.coordinate;

import java.util.function.Consumer;

/** Work on nodes that can be stopped before it ends. */
public interface CancellableWork {
  /**
   * Sets what the work calls, on the event loop and with the reason, when it can't succeed any more
   * and should be cancelled.
   */
  void onUnrecoverable(Consumer<String> cancel);

  /** The failure of calls that are not sent because the work was cancelled. */
  Exception cancellationException();

  /** Marks the work as cancelled, which stops reductions. */
  void cancel(String reason);

  /** The work's tasks on a node. */
  NodeTaskBan taskBan(String nodeId);
}
