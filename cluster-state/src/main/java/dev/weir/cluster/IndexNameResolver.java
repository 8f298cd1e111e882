package dev.weir.cluster;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.opensearch.action.IndicesRequest;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.cluster.metadata.IndexNameExpressionResolver;
import org.opensearch.common.regex.Regex;
import org.opensearch.common.util.concurrent.ThreadContext;
import org.opensearch.core.index.Index;

/**
 * Resolves names, wildcards, aliases, data streams and date math against a view, with OpenSearch's
 * own resolver bound to one thread context. Safe on any thread.
 */
public final class IndexNameResolver {
  private final ThreadContext context;
  private final IndexNameExpressionResolver resolver;

  /**
   * Creates a resolver.
   *
   * @param context contains headers such as the one that allows system indices
   */
  public IndexNameResolver(ThreadContext context) {
    this.context = context;
    this.resolver = new IndexNameExpressionResolver(context);
  }

  /**
   * The targets of a search.
   *
   * @param indices concrete indices, in the resolver's order
   * @param routing routing values by index name; empty for none
   * @param filteringAliases names of the aliases whose filters apply, by index name; an index
   *     without any is left out
   * @param shards the targets in the order of ShardId; never changes
   */
  public record SearchTargets(
      List<Index> indices,
      Map<String, Set<String>> routing,
      Map<String, String[]> filteringAliases,
      List<ShardTarget> shards) {}

  /**
   * Returns whether patterns match an index.
   *
   * @param name the name in the request
   * @param index the name of the concrete index
   */
  public static boolean isMatch(List<String> patterns, String name, String index) {
    return Regex.simpleMatch(patterns, name) || Regex.simpleMatch(patterns, index);
  }

  /** Returns OpenSearch's resolver. */
  public IndexNameExpressionResolver resolver() {
    return resolver;
  }

  /**
   * Resolves the targets of a search without a point in time in this cluster, as {@code
   * TransportSearchAction} does.
   *
   * @param local the request's local index expressions and options
   * @param nowMillis the search's start, milliseconds since the epoch, for date math
   */
  public SearchTargets resolveSearch(
      ClusterView view, SearchRequest request, IndicesRequest local, long nowMillis) {
    ResolvedNames names = resolveNames(view, request, local, nowMillis);
    return new SearchTargets(
        names.indices(),
        names.routing(),
        names.filteringAliases(),
        SearchShardResolver.resolve(
            view,
            names,
            request.preference(),
            request.source() == null ? null : request.source().slice()));
  }

  private ResolvedNames resolveNames(
      ClusterView view, SearchRequest request, IndicesRequest local, long nowMillis) {
    ResolvedNamesCache.Key key =
        Arrays.equals(request.indices(), local.indices())
            ? ResolvedNamesCache.Key.of(
                local,
                request.routing(),
                context.getHeader(
                    IndexNameExpressionResolver.SYSTEM_INDEX_ACCESS_CONTROL_HEADER_KEY))
            : null;
    ResolvedNames known = key == null ? null : view.resolvedNames().get(key);
    if (known != null) {
      return known;
    }
    List<Index> indices = resolveIndices(view, local, nowMillis);
    Map<String, Set<String>> routing =
        resolver.resolveSearchRouting(view.state(), request.routing(), request.indices());
    Set<String> expressions = resolver.resolveExpressions(view.state(), request.indices());
    Map<String, String[]> aliases = new HashMap<>();
    for (Index index : indices) {
      String[] filtering = resolver.filteringAliases(view.state(), index.getName(), expressions);
      if (filtering != null) {
        aliases.put(index.getName(), filtering);
      }
    }
    ResolvedNames resolved =
        new ResolvedNames(indices, routing == null ? Map.of() : routing, aliases);
    if (key != null && indices.stream().noneMatch(index -> isSystemIndex(view, index))) {
      view.resolvedNames().put(key, resolved);
    }
    return resolved;
  }

  /** Whether the resolver may warn each client that names the index. */
  private static boolean isSystemIndex(ClusterView view, Index index) {
    IndexMetadata metadata = view.state().metadata().index(index);
    return metadata == null || metadata.isSystem();
  }

  /**
   * Resolves the indices of a search without a point in time in this cluster, in the resolver's
   * order.
   *
   * @param local the request's local index expressions and options
   * @param nowMillis the search's start, milliseconds since the epoch, for date math
   */
  public List<Index> resolveIndices(ClusterView view, IndicesRequest local, long nowMillis) {
    return Arrays.asList(
        resolver.concreteResolvedIndices(view.state(), local, nowMillis).concreteIndicesAsArray());
  }

  /** Resolves the one index that a read of single documents names. */
  public Index resolveSingle(ClusterView view, IndicesRequest request) {
    return resolver.concreteSingleIndex(view.state(), request);
  }
}
