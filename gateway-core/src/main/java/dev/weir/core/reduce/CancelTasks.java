package dev.weir.core.reduce;

import dev.weir.protocol.NodeCall;
import dev.weir.protocol.action.ParentTask;
import dev.weir.protocol.action.TaskCalls;
import java.time.Duration;
import org.opensearch.core.tasks.TaskCancelledException;
import org.opensearch.transport.TransportException;

/** The children of a caller's task on a node. */
record CancelTasks(ParentTask parent) implements NodeTasks {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  /**
   * Those of a caller.
   *
   * @param caller as it is on the node
   */
  static CancelTasks of(SearchCaller caller) {
    return new CancelTasks(new ParentTask(caller.task().getNodeId(), caller.task().getId()));
  }

  @Override
  public NodeCall<?> ban(String reason) {
    return TaskCalls.ban(parent, reason, TIMEOUT);
  }

  @Override
  public NodeCall<?> unban() {
    return TaskCalls.unban(parent, TIMEOUT);
  }

  /** What a node's coordinator gives a child that it does not start any more. */
  static TransportException refusal(String reason) {
    return new TransportException(
        "failure to send",
        new TaskCancelledException(
            "The parent task was cancelled, shouldn't start any child tasks, " + reason));
  }
}
