package dev.weir.core.reduce.round;

import dev.weir.core.coordinate.NodeTaskBan;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.action.ParentTask;
import dev.weir.protocol.action.TaskBanCalls;
import java.time.Duration;
import org.opensearch.core.tasks.TaskCancelledException;
import org.opensearch.transport.TransportException;

/** Bans the child tasks of a caller's task on a node. */
public record ParentTaskBan(ParentTask parent) implements NodeTaskBan {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  /**
   * Creates the ban for a caller.
   *
   * @param caller as the node knows it
   */
  public static ParentTaskBan forCaller(SearchCaller caller) {
    return new ParentTaskBan(
        new ParentTask(caller.parentTask().getNodeId(), caller.parentTask().getId()));
  }

  @Override
  public NodeCall<?> createBanCall(String reason) {
    return TaskBanCalls.ban(parent, reason, TIMEOUT);
  }

  @Override
  public NodeCall<?> createUnbanCall() {
    return TaskBanCalls.unban(parent, TIMEOUT);
  }

  /**
   * Creates the exception that a coordinating node gives to a child task that it no longer starts.
   */
  public static TransportException createRejection(String reason) {
    return new TransportException(
        "failure to send",
        new TaskCancelledException(
            "The parent task was cancelled, shouldn't start any child tasks, " + reason));
  }
}
