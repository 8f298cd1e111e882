package dev.weir.protocol.action;

import dev.weir.protocol.NodeCall;
import java.io.IOException;
import java.time.Duration;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.core.tasks.TaskId;
import org.opensearch.core.transport.TransportResponse;

/** Calls that stop what nodes do for a request of the gateway, on the CONTROL channel. */
public final class TaskCalls {
  /** {@code TaskCancellationService.BAN_PARENT_ACTION_NAME}, which is not public. */
  private static final String BAN_ACTION = "internal:admin/tasks/ban";

  private TaskCalls() {}

  /**
   * Cancels, on the asked node, the children of a task that run now. The node does not remember the
   * ban, because the gateway is no member of the cluster: send it again for children that came
   * later. {@code TaskCancellationService.BanParentTaskRequest}.
   */
  public static NodeCall<TransportResponse.Empty> ban(
      ParentTask parent, String reason, Duration timeout) {
    return ClusterCalls.control(
        BAN_ACTION,
        new Ban(parent.toTaskId(), reason),
        in -> TransportResponse.Empty.INSTANCE,
        timeout);
  }

  private record Ban(TaskId parent, String reason) implements Writeable {
    @Override
    public void writeTo(StreamOutput out) throws IOException {
      TaskId.EMPTY_TASK_ID.writeTo(out);
      parent.writeTo(out);
      out.writeBoolean(true);
      out.writeString(reason);
      out.writeBoolean(false); // do not wait until they have stopped
    }
  }
}
