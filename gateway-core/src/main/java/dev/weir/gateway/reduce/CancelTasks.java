package dev.weir.gateway.reduce;

import dev.weir.protocol.NodeCall;
import dev.weir.protocol.action.ParentTask;
import dev.weir.protocol.action.TaskCalls;
import java.time.Duration;
import org.opensearch.core.tasks.TaskCancelledException;
import org.opensearch.transport.TransportException;

/** How a caller's tasks on a node are cancelled. */
final class CancelTasks {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private CancelTasks() {}

  static NodeCall<?> call(SearchCaller caller, String reason) {
    return TaskCalls.ban(
        new ParentTask(caller.task().getNodeId(), caller.task().getId()), reason, TIMEOUT);
  }

  /** What a node's coordinator gives a child that it does not start any more. */
  static TransportException refusal(String reason) {
    return new TransportException(
        "failure to send",
        new TaskCancelledException(
            "The parent task was cancelled, shouldn't start any child tasks, " + reason));
  }
}
