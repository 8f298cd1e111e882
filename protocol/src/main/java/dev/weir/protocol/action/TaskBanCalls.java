package dev.weir.protocol.action;

import dev.weir.protocol.NodeCall;
import java.io.IOException;
import java.time.Duration;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.core.tasks.TaskId;
import org.opensearch.core.transport.TransportResponse;

/** Creates calls that cancel a request's tasks on nodes, on the CONTROL channel. */
public final class TaskBanCalls {
  /** {@code TaskCancellationService.BAN_PARENT_ACTION_NAME}, which is not public. */
  private static final String BAN_ACTION = "internal:admin/tasks/ban";

  private TaskBanCalls() {}

  /**
   * Cancels the running child tasks of a task on the called node. If the task's node is a member of
   * the cluster, as the called node is, the called node also keeps the ban and rejects later child
   * tasks until the ban is lifted. {@code TaskCancellationService.BanParentTaskRequest}.
   */
  public static NodeCall<TransportResponse.Empty> ban(
      ParentTask parent, String reason, Duration timeout) {
    return call(new Ban(parent.toTaskId(), reason), timeout);
  }

  /** Lifts a ban on the called node. */
  public static NodeCall<TransportResponse.Empty> unban(ParentTask parent, Duration timeout) {
    return call(new Unban(parent.toTaskId()), timeout);
  }

  private static NodeCall<TransportResponse.Empty> call(Writeable request, Duration timeout) {
    return ControlCallFactory.create(
        BAN_ACTION, request, in -> TransportResponse.Empty.INSTANCE, timeout);
  }

  private record Unban(TaskId parent) implements Writeable {
    @Override
    public void writeTo(StreamOutput out) throws IOException {
      TaskId.EMPTY_TASK_ID.writeTo(out);
      parent.writeTo(out);
      out.writeBoolean(false);
      out.writeBoolean(false); // waitForCompletion has no meaning for this message
    }
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
