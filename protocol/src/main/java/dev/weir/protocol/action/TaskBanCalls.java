package dev.weir.protocol.action;

import dev.weir.protocol.NodeCall;
import java.io.IOException;
import java.time.Duration;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.core.tasks.TaskId;
import org.opensearch.core.transport.TransportResponse;

/** Calls that stop what nodes do for a request of the gateway, on the CONTROL channel. */
public final class TaskBanCalls {
  /** {@code TaskCancellationService.BAN_PARENT_ACTION_NAME}, which is not public. */
  private static final String BAN_ACTION = "internal:admin/tasks/ban";

  private TaskBanCalls() {}

  /**
   * Cancels, on the asked node, the children of a task that run now. Where the task's node is a
   * member of the cluster, as the asked node itself is, it remembers the ban and refuses children
   * that come later, until it is lifted. {@code TaskCancellationService.BanParentTaskRequest}.
   */
  public static NodeCall<TransportResponse.Empty> ban(
      ParentTask parent, String reason, Duration timeout) {
    return call(new Ban(parent.toTaskId(), reason), timeout);
  }

  /** Makes the asked node forget a ban. */
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
      out.writeBoolean(false); // means nothing here
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
