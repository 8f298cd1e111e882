package dev.weir.core.reduce.round;

import dev.weir.core.reduce.query.SampledShards;
import dev.weir.model.NodeCallType;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.OriginalIndices;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.cluster.ClusterState;
import org.opensearch.common.unit.TimeValue;
import org.opensearch.core.index.shard.ShardId;
import org.opensearch.search.internal.AliasFilter;
import org.opensearch.search.internal.ShardSearchContextId;

/**
 * The shards of a search, resolved against one cluster state.
 *
 * @param request the search, with all defaults filled in
 * @param shards every shard in the order of ShardId; its index is its ordinal
 * @param filters the filters and boosts of aliases and indices
 * @param state the cluster state that it was resolved against
 * @param work the type of a query call to one of the shards
 * @param sample the sample that the shards belong to; null if they are all shards
 */
public record SearchScope(
    SearchRequest request,
    List<ShardScope> shards,
    IndexFilters filters,
    ClusterState state,
    NodeCallType work,
    @Nullable SampledShards sample) {

  /** A search of all of its shards. */
  public SearchScope(
      SearchRequest request, List<ShardScope> shards, IndexFilters filters, ClusterState state) {
    this(
        request,
        shards,
        filters,
        state,
        SearchCallTypeClassifier.perShard(request, shards.size()),
        null);
  }

  /**
   * One shard.
   *
   * @param pit the context of the point in time to search in; null for current data
   * @param keepAlive the new keep-alive of that context; null to leave it unchanged
   */
  public record ShardScope(
      ShardId id,
      OriginalIndices indices,
      @Nullable ShardSearchContextId pit,
      @Nullable TimeValue keepAlive) {}

  /**
   * Filters and boosts that depend on the index alone.
   *
   * @param aliasFilters filters of aliases by index uuid
   * @param boosts index boosts by index uuid
   * @param routings routing values by index name
   */
  public record IndexFilters(
      Map<String, AliasFilter> aliasFilters,
      Map<String, Float> boosts,
      Map<String, Set<String>> routings) {}
}
