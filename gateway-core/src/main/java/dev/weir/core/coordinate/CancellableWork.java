package dev.weir.core.coordinate;

import java.util.function.Consumer;

/** Work on nodes that can be stopped before its end. */
public interface CancellableWork {
  /** Whom to tell, on the home, when the work can't succeed any more and should be cancelled. */
  void onUnrecoverable(Consumer<String> cancel);

  /** The failure of what is not sent because the work was cancelled. */
  Exception cancellationException();

  /** Marks the work as cancelled: reductions stop. */
  void cancel(String reason);

  /** The work's tasks on a node. */
  NodeTaskBan taskBan(String nodeId);
}
