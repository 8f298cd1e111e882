package dev.weir.core.reduce.columns;

import java.io.IOException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.search.builder.SearchSourceBuilder;
import org.opensearch.transport.TransportRequest;

/**
 * How a search fetches its documents as columns: at the nodes that can, and as hits at all others.
 * Safe on any thread.
 *
 * @param isSupported tells by its id whether a node announced the capability {@code column-fetch}
 * @param counts counts what they return
 */
public record ColumnFetch(Predicate<String> isSupported, ColumnFetchCounts counts) {
  /** The plugin's action in place of the fetch phase's. */
  public static final String ACTION = "indices:data/read/weir/column_fetch";

  private static final int MIN_SEPARATE_ROWS = 100;

  /**
   * Returns whether a search of a single shard queries and fetches there one after the other. In
   * one round trip the node would return hits; for few of them a second round trip takes longer.
   */
  public boolean isSeparate(@Nullable SearchSourceBuilder source, String nodeId) {
    return source != null
        && source.size() >= MIN_SEPARATE_ROWS
        && source.aggregations() == null // which collect otherwise for one of several shards
        && source.suggest() == null
        && (source.rescores() == null || source.rescores().isEmpty())
        && isSupported.test(nodeId);
  }

  /** Returns the request for columns that stands for a request of the fetch phase. */
  public TransportRequest toColumnRequest(TransportRequest fetch) {
    return new ColumnFetchRequest(fetch);
  }

  /**
   * On the wire: the parent task, then the whole request of the fetch phase (see the plugin's
   * {@code ColumnFetchRequest}).
   */
  private static final class ColumnFetchRequest extends TransportRequest {
    private final TransportRequest fetch;

    ColumnFetchRequest(TransportRequest fetch) {
      this.fetch = fetch;
    }

    @Override
    public void writeTo(StreamOutput out) throws IOException {
      super.writeTo(out);
      fetch.writeTo(out);
    }
  }
}
