package dev.weir.node.batch;

import dev.weir.node.results.NextResultsRequest;
import java.io.IOException;
import java.util.Map;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.tasks.TaskId;
import org.opensearch.tasks.Task;

/**
 * Asks for the next results of a search, or says that nobody waits for them. A request that asks
 * has a task that is cancelled with the search, and that the node refuses once the search is
 * cancelled. The other has an ordinary task: results of cancelled searches have to be dropped, too.
 */
final class NextShardResultsRequest extends NextResultsRequest {
  NextShardResultsRequest(StreamInput in) throws IOException {
    super(in);
  }

  @Override
  public Task createTask(
      long id, String type, String action, TaskId parent, Map<String, String> headers) {
    return isWanted()
        ? new ShardBatchTask(id, type, action, getDescription(), parent, headers)
        : super.createTask(id, type, action, parent, headers);
  }
}
