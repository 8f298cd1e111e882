package dev.weir.core.actions;

import dev.weir.cluster.ClusterView;
import dev.weir.cluster.IndexNameResolver.SearchTargets;
import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.block.ClusterBlockLevel;
import org.opensearch.cluster.metadata.IndexNameExpressionResolver;
import org.opensearch.common.xcontent.LoggingDeprecationHandler;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.index.Index;
import org.opensearch.core.xcontent.MediaTypeRegistry;
import org.opensearch.core.xcontent.NamedXContentRegistry;
import org.opensearch.core.xcontent.XContentParser;
import org.opensearch.index.query.AbstractQueryBuilder;
import org.opensearch.index.query.QueryBuilder;
import org.opensearch.search.builder.SearchSourceBuilder;
import org.opensearch.search.internal.AliasFilter;
import org.opensearch.search.internal.ShardSearchRequest;

/** What a search needs to know of each index: alias filters and boosts. */
final class IndexFiltersAndBoosts {
  private IndexFiltersAndBoosts() {}

  /**
   * The filters of the aliases that the request names, by index uuid.
   *
   * @throws org.opensearch.cluster.block.ClusterBlockException when an index must not be read
   */
  static Map<String, AliasFilter> aliasFilters(
      SearchActionServices setup, ClusterView view, SearchTargets targets) {
    ClusterState state = view.state();
    Map<String, AliasFilter> filters = new HashMap<>();
    for (Index index : targets.indices()) {
      state.blocks().indexBlockedRaiseException(ClusterBlockLevel.READ, index.getName());
      String[] aliases = targets.filteringAliases().get(index.getName());
      QueryBuilder filter =
          ShardSearchRequest.parseAliasFilter(
              bytes -> parse(setup.registries().xContents(), bytes),
              state.metadata().index(index.getName()),
              aliases);
      filters.put(index.getUUID(), new AliasFilter(filter, aliases));
    }
    return filters;
  }

  @SuppressWarnings("deprecation") // the type of an alias's filter is not known
  private static QueryBuilder parse(NamedXContentRegistry xContents, BytesReference bytes)
      throws IOException {
    try (InputStream stream = bytes.streamInput();
        XContentParser parser =
            MediaTypeRegistry.xContentType(bytes)
                .xContent()
                .createParser(xContents, LoggingDeprecationHandler.INSTANCE, stream)) {
      return AbstractQueryBuilder.parseInnerQueryBuilder(parser);
    }
  }

  /**
   * The boosts of the indices that the request searches, by index uuid. The first boost that names
   * an index applies.
   */
  static Map<String, Float> indexBoosts(
      IndexNameExpressionResolver resolver,
      ClusterView view,
      SearchRequest request,
      List<Index> targets) {
    SearchSourceBuilder source = request.source();
    if (source == null || source.indexBoosts() == null || source.indexBoosts().isEmpty()) {
      return Map.of();
    }
    Map<String, Float> boosts = new HashMap<>();
    Set<Index> searched = new HashSet<>(targets);
    Set<String> resolved = new HashSet<>();
    for (SearchSourceBuilder.IndexBoost boost : source.indexBoosts()) {
      if (!resolved.add(boost.getIndex())) {
        continue;
      }
      for (Index index :
          resolver.concreteIndices(view.state(), request.indicesOptions(), boost.getIndex())) {
        if (searched.contains(index)) {
          boosts.putIfAbsent(index.getUUID(), boost.getBoost());
        }
      }
    }
    return boosts;
  }
}
