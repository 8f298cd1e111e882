package dev.weir.cluster.diff;

import java.time.Duration;
import org.opensearch.cluster.ClusterState;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.core.tasks.TaskId;

/** Requests for the changes since a state. Stateless. */
public final class StateDiffRequests {
  /** The plugin's action that answers with {@link StateDiffs}. */
  public static final String ACTION = "cluster:monitor/weir/state/diff";

  private StateDiffRequests() {}

  /**
   * Returns the payload of a request: after the parent task the state's uuid as a string, its term
   * and version as vlongs, and the longest wait in milliseconds as a vlong.
   *
   * @param maxWait how long the node waits for a change before it answers that there is none
   */
  public static Writeable after(ClusterState state, Duration maxWait) {
    return out -> {
      TaskId.EMPTY_TASK_ID.writeTo(out);
      out.writeString(state.stateUUID());
      out.writeVLong(state.term());
      out.writeVLong(state.version());
      out.writeVLong(maxWait.toMillis());
    };
  }
}
