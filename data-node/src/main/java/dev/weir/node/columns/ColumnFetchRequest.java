package dev.weir.node.columns;

import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.ActionRequest;
import org.opensearch.action.ActionRequestValidationException;
import org.opensearch.action.IndicesRequest;
import org.opensearch.action.support.IndicesOptions;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.core.tasks.TaskId;
import org.opensearch.search.fetch.ShardFetchSearchRequest;
import org.opensearch.tasks.Task;

/**
 * The documents to fetch from one shard. On the wire, after the parent task: OpenSearch's own
 * request of the fetch phase, with a parent task of its own that nobody reads.
 */
public final class ColumnFetchRequest extends ActionRequest implements IndicesRequest {
  private final ShardFetchSearchRequest fetch;

  /** Reads a request. */
  public ColumnFetchRequest(StreamInput in) throws IOException {
    super(in);
    fetch = new ShardFetchSearchRequest(in);
  }

  /** Returns the request that the fetch phase gets. */
  ShardFetchSearchRequest fetch() {
    return fetch;
  }

  @Override
  public String[] indices() {
    return fetch.indices();
  }

  @Override
  public IndicesOptions indicesOptions() {
    return fetch.indicesOptions();
  }

  @Override
  public Task createTask(
      long id, String type, String action, TaskId parentTaskId, Map<String, String> headers) {
    return new ColumnFetchTask(id, type, action, fetch.getDescription(), parentTaskId, headers);
  }

  @Override
  public @Nullable ActionRequestValidationException validate() {
    return null;
  }

  @Override
  public void writeTo(StreamOutput out) throws IOException {
    super.writeTo(out);
    fetch.writeTo(out);
  }
}
