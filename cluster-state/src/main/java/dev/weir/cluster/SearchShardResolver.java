package dev.weir.cluster;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.cluster.metadata.WeightedRoutingMetadata;
import org.opensearch.cluster.routing.IndexRoutingTable;
import org.opensearch.cluster.routing.IndexShardRoutingTable;
import org.opensearch.cluster.routing.ShardIterator;
import org.opensearch.core.index.Index;
import org.opensearch.core.index.shard.ShardId;
import org.opensearch.search.slice.SliceBuilder;

/**
 * Resolves the shards of a search and the copies that may answer, exactly as OpenSearch's {@code
 * OperationRouting.searchShards} does; a {@link ShardsPreference} is an addition. Common searches,
 * without preference, routing and slice, use targets that are cached in the view. Pure; safe on any
 * thread.
 */
public final class SearchShardResolver {
  private SearchShardResolver() {}

  /**
   * Returns the targets, in the order of {@code ShardId}.
   *
   * @param indices concrete indices of the view
   * @param routing routing values by index name, as the resolver's {@code resolveSearchRouting}
   *     returns them; empty for none
   * @param preference as in the request
   * @param slice of a sliced scroll or point in time
   * @throws org.opensearch.index.IndexNotFoundException if the view lacks an index
   * @throws IllegalArgumentException for a preference that a node rejects too
   */
  public static List<ShardTarget> resolve(
      ClusterView view,
      List<Index> indices,
      Map<String, Set<String>> routing,
      @Nullable String preference,
      @Nullable SliceBuilder slice) {
    boolean plain = (preference == null || preference.isEmpty()) && slice == null;
    if (plain && routing.isEmpty() && free(view, indices)) {
      return free(view, indices, view.targetCache());
    }
    ShardsPreference restricted = ShardsPreference.parse(preference);
    if (restricted != null) {
      Set<ShardId> shards =
          resolve(view, indices, routing, restricted.shards(), slice).stream()
              .map(ShardTarget::shardId)
              .collect(Collectors.toSet());
      return resolve(view, indices, routing, restricted.custom(), null).stream()
          .filter(target -> shards.contains(target.shardId()))
          .toList();
    }
    List<ShardTarget> targets = new ArrayList<>();
    CopyTierBuilder tiers = CopyTierBuilder.of(view, preference);
    String[] names = indices.stream().map(Index::getName).toArray(String[]::new);
    for (ShardIterator shard :
        view.routing().searchShards(view.state(), names, routing, preference, null, null, slice)) {
      targets.add(tiers.buildTarget(shard));
    }
    return targets;
  }

  /**
   * Returns the targets of names; those of a common search are computed once.
   *
   * @param preference as in the request
   * @param slice of a sliced scroll
   */
  static List<ShardTarget> resolve(
      ClusterView view,
      ResolvedNames names,
      @Nullable String preference,
      @Nullable SliceBuilder slice) {
    boolean plain = (preference == null || preference.isEmpty()) && slice == null;
    if (!plain || !names.routing().isEmpty()) {
      return resolve(view, names.indices(), names.routing(), preference, slice);
    }
    ResolvedNames.TargetInputs inputs =
        new ResolvedNames.TargetInputs(
            view.targetCache(), view.settings().routing(), view.state().routingTable());
    List<ShardTarget> known = names.wholeTargets(inputs);
    if (known != null) {
      return known;
    }
    if (!free(view, names.indices())) {
      return resolve(view, names.indices(), names.routing(), preference, slice);
    }
    List<ShardTarget> targets = List.copyOf(free(view, names.indices(), view.targetCache()));
    names.keepWholeTargets(inputs, targets);
    return targets;
  }

  private static List<ShardTarget> free(
      ClusterView view, List<Index> indices, ShardTargetCache cache) {
    if (indices.size() == 1) {
      return cachedTargets(view, indices.getFirst(), cache);
    }
    List<ShardTarget> targets = new ArrayList<>(indices.size() * 2);
    indices.stream().distinct().forEach(index -> targets.addAll(cachedTargets(view, index, cache)));
    targets.sort(Comparator.comparing(ShardTarget::shardId));
    return targets;
  }

  private static List<ShardTarget> cachedTargets(
      ClusterView view, Index index, ShardTargetCache cache) {
    IndexRoutingTable table = view.state().routingTable().index(index);
    return cache.of(table, () -> targets(view, table));
  }

  private static List<ShardTarget> targets(ClusterView view, IndexRoutingTable table) {
    CopyTierBuilder tiers = CopyTierBuilder.of(view, null);
    List<ShardTarget> targets = new ArrayList<>(table.shards().size());
    for (IndexShardRoutingTable shard : table) {
      targets.add(tiers.buildTarget(shard.activeInitializingShardsIt(0)));
    }
    targets.sort(Comparator.comparing(ShardTarget::shardId));
    return List.copyOf(targets);
  }

  /**
   * Returns whether the active copies of every shard are equivalent, as are the initializing ones.
   */
  private static boolean free(ClusterView view, List<Index> indices) {
    ClusterViewSettings.RoutingSettings rules = view.settings().routing();
    if (!rules.awarenessAttributes().isEmpty()) {
      return false;
    }
    WeightedRoutingMetadata weights = view.state().metadata().weightedRoutingMetadata();
    if (weights != null && !rules.weighted().ignored() && weights.getWeightedRouting().isSet()) {
      return false;
    }
    for (Index index : indices) {
      IndexMetadata metadata = view.state().metadata().index(index);
      if (metadata == null
          || metadata.isRemoteSnapshot()
          || metadata.getNumberOfSearchOnlyReplicas() > 0
          || view.state().routingTable().index(index) == null) {
        return false;
      }
    }
    return true;
  }
}
