package dev.weir.cluster;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.IndicesRequest;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.cluster.metadata.IndexNameExpressionResolver;
import org.opensearch.common.regex.Regex;
import org.opensearch.common.util.concurrent.ThreadContext;
import org.opensearch.core.index.Index;

/**
 * Resolves names, wildcards, aliases, data streams and date math against a view, with OpenSearch's
 * own resolver bound to one thread context. Safe on any thread.
 */
public final class IndexNameResolver {
  private final IndexNameExpressionResolver resolver;

  /**
   * Makes one.
   *
   * @param context where the resolver looks up headers such as the one that allows system indices
   */
  public IndexNameResolver(ThreadContext context) {
    this.resolver = new IndexNameExpressionResolver(context);
  }

  /**
   * What a search goes to.
   *
   * @param indices concrete indices, in the resolver's order
   * @param routing routing values by index name; empty for none
   * @param shards the targets in the order of ShardId
   */
  public record SearchTargets(
      List<Index> indices, Map<String, Set<String>> routing, List<ShardTarget> shards) {}

  /**
   * Whether patterns name an index.
   *
   * @param name as a request has it
   * @param index its own name
   */
  public static boolean isMatch(List<String> patterns, String name, String index) {
    return Regex.simpleMatch(patterns, name) || Regex.simpleMatch(patterns, index);
  }

  /** OpenSearch's resolver itself. */
  public IndexNameExpressionResolver resolver() {
    return resolver;
  }

  /**
   * What a search without a point in time goes to in this cluster, as {@code TransportSearchAction}
   * finds it.
   *
   * @param local the request's local index expressions and options
   * @param nowMillis the search's absolute start, for date math
   */
  public SearchTargets resolveSearch(
      ClusterView view, SearchRequest request, IndicesRequest local, long nowMillis) {
    List<Index> indices =
        Arrays.asList(
            resolver
                .concreteResolvedIndices(view.state(), local, nowMillis)
                .concreteIndicesAsArray());
    @Nullable Map<String, Set<String>> routing =
        resolver.resolveSearchRouting(view.state(), request.routing(), request.indices());
    Map<String, Set<String>> routed = routing == null ? Map.of() : routing;
    return new SearchTargets(
        indices,
        routed,
        SearchShardResolver.resolve(
            view,
            indices,
            routed,
            request.preference(),
            request.source() == null ? null : request.source().slice()));
  }

  /** The one index that a read of single documents names. */
  public Index resolveSingle(ClusterView view, IndicesRequest request) {
    return resolver.concreteSingleIndex(view.state(), request);
  }
}
