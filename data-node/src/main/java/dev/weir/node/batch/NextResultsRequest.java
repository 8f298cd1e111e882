package dev.weir.node.batch;

import java.io.IOException;
import java.util.Map;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.tasks.TaskId;
import org.opensearch.tasks.Task;
import org.opensearch.transport.TransportRequest;

/**
 * Asks for the next results of a batch, or says that nobody waits for them. On the wire, after the
 * parent task: the id from the last response as a long, and a boolean that is true to ask.
 */
final class NextResultsRequest extends TransportRequest {
  private final long batch;
  private final boolean wanted;

  NextResultsRequest(StreamInput in) throws IOException {
    super(in);
    batch = in.readLong();
    wanted = in.readBoolean();
  }

  long batch() {
    return batch;
  }

  boolean isWanted() {
    return wanted;
  }

  @Override
  public Task createTask(
      long id, String type, String action, TaskId parent, Map<String, String> headers) {
    return new ShardBatchTask(id, type, action, getDescription(), parent, headers);
  }
}
