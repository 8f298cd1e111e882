package dev.weir.responses.columnar;

import dev.weir.cluster.ClusterViewSource;
import dev.weir.cluster.IndexNameResolver;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.opensearch.action.search.SearchContextId;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.support.IndicesOptions;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.core.index.shard.ShardId;

/**
 * Resolves the indices that a search covers, for column types where no hit names an index. Safe on
 * any thread.
 */
final class SearchedIndexResolver {
  /** The bound of indices: their mappings are read on the request's event loop. */
  static final int MAX_INDICES = 100;

  private final ClusterViewSource views;
  private final IndexNameResolver names;
  private final NamedWriteableRegistry writeables;

  SearchedIndexResolver(
      ClusterViewSource views, IndexNameResolver names, NamedWriteableRegistry writeables) {
    this.views = views;
    this.names = names;
    this.writeables = writeables;
  }

  /** Returns the names of the indices; deleted indices are left out. */
  List<String> resolve(SearchRequest search) {
    return resolveAll(search).limit(MAX_INDICES).toList();
  }

  private Stream<String> resolveAll(SearchRequest search) {
    if (search.pointInTimeBuilder() != null) {
      return SearchContextId.decode(writeables, search.pointInTimeBuilder().getId())
          .shards()
          .keySet()
          .stream()
          .map(ShardId::getIndexName)
          .distinct();
    }
    IndicesOptions options = search.indicesOptions();
    IndicesOptions lenient =
        IndicesOptions.fromOptions(
            true,
            true,
            options.expandWildcardsOpen(),
            options.expandWildcardsClosed(),
            options.expandWildcardsHidden());
    return Arrays.stream(
        names
            .resolver()
            .concreteIndexNames(views.current().state(), lenient, true, search.indices()));
  }
}
