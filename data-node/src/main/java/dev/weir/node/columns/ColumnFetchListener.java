package dev.weir.node.columns;

import java.io.IOException;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;
import org.jspecify.annotations.Nullable;
import org.opensearch.index.shard.SearchOperationListener;
import org.opensearch.search.internal.SearchContext;

/**
 * Reads the columns of a {@link ColumnFetchTask} before the fetch phase, and leaves the fetch phase
 * no documents. Where columns could differ from hits, or can't be read, the fetch phase finds what
 * it would have found without the plugin, and fails as it would have. Safe on any thread.
 */
final class ColumnFetchListener implements SearchOperationListener {
  private static final Logger LOG = LogManager.getLogger(ColumnFetchListener.class);

  @Override
  public void onPreFetchPhase(SearchContext context) {
    if (context.getTask() instanceof ColumnFetchTask task && context.docIdsToLoadSize() > 0) {
      FetchedColumns columns = read(context);
      if (columns != null) {
        task.setColumns(columns);
        context.docIdsToLoad(new int[0], 0, 0);
      }
    }
  }

  private static @Nullable FetchedColumns read(SearchContext context) {
    try {
      return ColumnEligibility.allows(context) ? new ColumnReader(context).read() : null;
    } catch (IOException | RuntimeException unreadable) {
      LOG.debug("no columns of {}", context.shardTarget(), unreadable);
      return null;
    }
  }
}
