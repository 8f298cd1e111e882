package dev.weir.core.reduce.round;

import dev.weir.core.reduce.query.SampledShards;
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
 * What a search goes to, resolved against one state of the cluster.
 *
 * @param request the search, with all defaults filled in
 * @param shards every shard in the order of ShardId; its place is its ordinal
 * @param filters what aliases and data of an index are filtered by
 * @param state the state it was resolved against
 * @param sample of what the shards are a sample; null where they are all
 */
public record SearchScope(
    SearchRequest request,
    List<ShardScope> shards,
    IndexFilters filters,
    ClusterState state,
    @Nullable SampledShards sample) {

  /** A search that goes to all of its shards. */
  public SearchScope(
      SearchRequest request, List<ShardScope> shards, IndexFilters filters, ClusterState state) {
    this(request, shards, filters, state, null);
  }

  /**
   * One shard.
   *
   * @param pit the context of a point in time to search in; null for the newest data
   * @param keepAlive how long that context is to live from now on; null to leave it
   */
  public record ShardScope(
      ShardId id,
      OriginalIndices indices,
      @Nullable ShardSearchContextId pit,
      @Nullable TimeValue keepAlive) {}

  /**
   * What depends on the index alone.
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
