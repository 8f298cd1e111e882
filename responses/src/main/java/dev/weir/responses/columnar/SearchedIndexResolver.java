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
 * The indices that a search goes to, for what their mappings say where there is no hit to tell
 * them. Safe on any thread.
 */
final class SearchedIndexResolver {
  /** More are not looked at: their mappings are read on the request's home. */
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

  /** Their names; without those that are gone. */
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
    IndicesOptions asked = search.indicesOptions();
    IndicesOptions lenient =
        IndicesOptions.fromOptions(
            true,
            true,
            asked.expandWildcardsOpen(),
            asked.expandWildcardsClosed(),
            asked.expandWildcardsHidden());
    return Arrays.stream(
        names
            .resolver()
            .concreteIndexNames(views.current().state(), lenient, true, search.indices()));
  }
}
