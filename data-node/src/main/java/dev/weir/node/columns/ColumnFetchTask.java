package dev.weir.node.columns;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.SearchShardTask;
import org.opensearch.core.tasks.TaskId;

/**
 * The task of a fetch whose requester takes columns. It carries the columns from the fetch phase to
 * the response. Safe on any thread.
 */
final class ColumnFetchTask extends SearchShardTask {
  private volatile @Nullable FetchedColumns columns;

  ColumnFetchTask(
      long id,
      String type,
      String action,
      String description,
      TaskId parentTaskId,
      Map<String, String> headers) {
    super(id, type, action, description, parentTaskId, headers);
  }

  void setColumns(FetchedColumns read) {
    columns = read;
  }

  /** Returns the columns that were read; null if the fetch phase read hits. */
  @Nullable FetchedColumns columns() {
    return columns;
  }
}
