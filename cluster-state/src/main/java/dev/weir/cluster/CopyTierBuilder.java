package dev.weir.cluster;

import dev.weir.model.ShardCopy;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.opensearch.cluster.metadata.WeightedRoutingMetadata;
import org.opensearch.cluster.node.DiscoveryNode;
import org.opensearch.cluster.node.DiscoveryNodes;
import org.opensearch.cluster.routing.Preference;
import org.opensearch.cluster.routing.ShardIterator;
import org.opensearch.cluster.routing.ShardRouting;

/**
 * Splits the order that OpenSearch's routing gave for a shard into tiers. Adjacent copies whose
 * order was random share a tier.
 *
 * @param nodes the view's nodes
 * @param isRanked whether the order of two copies in the same state is random; null if it never is
 * @param canFallBack whether the order prefers near copies or warm caches, which are worth little
 *     on an overloaded node
 */
record CopyTierBuilder(
    DiscoveryNodes nodes, @Nullable Predicate<ShardRouting> isRanked, boolean canFallBack) {
  /** Creates the builder for a request with this preference. */
  static CopyTierBuilder of(ClusterView view, @Nullable String preference) {
    DiscoveryNodes nodes = view.state().nodes();
    if (preference == null || preference.isEmpty()) {
      return withoutPreference(view);
    }
    if (preference.charAt(0) != '_') {
      return new CopyTierBuilder(nodes, null, true);
    }
    if (Preference.parse(preference) == Preference.SHARDS) {
      int bar = preference.indexOf('|');
      return of(view, bar < 0 ? "" : preference.substring(bar + 1));
    }
    return new CopyTierBuilder(
        nodes,
        switch (Preference.parse(preference)) {
          case PREFER_NODES -> {
            int names = Math.min(preference.length(), Preference.PREFER_NODES.type().length() + 1);
            Set<String> preferred = new HashSet<>(List.of(preference.substring(names).split(",")));
            yield copy -> preferred.contains(copy.currentNodeId());
          }
          case LOCAL -> copy -> copy.currentNodeId().equals(nodes.getLocalNodeId());
          case PRIMARY_FIRST, REPLICA_FIRST -> ShardRouting::primary;
          case PRIMARY, REPLICA, SEARCH_REPLICA, ONLY_LOCAL, ONLY_NODES, SHARDS ->
              CopyTierBuilder::isInterchangeable;
        },
        false);
  }

  /** Builds the target from copies in OpenSearch's order. */
  ShardTarget buildTarget(ShardIterator ordered) {
    List<ShardRouting> routings = ordered.getShardRoutings();
    List<List<ShardCopy>> tiers = new ArrayList<>(2);
    List<ShardCopy> tier = new ArrayList<>(routings.size());
    @Nullable ShardRouting before = null;
    for (ShardRouting routing : routings) {
      if (before != null && !areInSameTier(before, routing)) {
        tiers.add(List.copyOf(tier));
        tier.clear();
      }
      tier.add(toShardCopy(routing));
      before = routing;
    }
    if (!tier.isEmpty()) {
      tiers.add(List.copyOf(tier));
    }
    return new ShardTarget(ordered.shardId(), List.copyOf(tiers), canFallBack);
  }

  private boolean areInSameTier(ShardRouting one, ShardRouting next) {
    Predicate<ShardRouting> rank = isRanked;
    return rank != null && one.active() == next.active() && rank.test(one) == rank.test(next);
  }

  private static boolean isInterchangeable(ShardRouting any) {
    return true;
  }

  private ShardCopy toShardCopy(ShardRouting routing) {
    return toShardCopy(nodes, routing);
  }

  /** Converts a copy to the gateway's type. */
  static ShardCopy toShardCopy(DiscoveryNodes nodes, ShardRouting routing) {
    DiscoveryNode node = nodes.get(routing.currentNodeId());
    return new ShardCopy(
        routing.currentNodeId(),
        routing.allocationId() == null ? "" : routing.allocationId().getId(),
        routing.primary(),
        routing.initializing(),
        node == null ? Map.of() : node.getAttributes());
  }

  private static CopyTierBuilder withoutPreference(ClusterView view) {
    DiscoveryNodes nodes = view.state().nodes();
    ClusterViewSettings.RoutingSettings rules = view.settings().routing();
    WeightedRoutingMetadata weights = view.state().metadata().weightedRoutingMetadata();
    if (!rules.weighted().ignored() && weights != null && weights.getWeightedRouting().isSet()) {
      return new CopyTierBuilder(nodes, rankedByWeight(nodes, rules, weights), false);
    }
    if (rules.awarenessAttributes().isEmpty()) {
      return new CopyTierBuilder(nodes, CopyTierBuilder::isInterchangeable, false);
    }
    Map<String, String> local = nodes.getLocalNode().getAttributes();
    Predicate<ShardRouting> near =
        copy -> {
          DiscoveryNode node = nodes.get(copy.currentNodeId());
          return node != null
              && rules.awarenessAttributes().stream()
                  .anyMatch(attribute ->
                      local.get(attribute) != null
                          && local.get(attribute).equals(node.getAttributes().get(attribute)));
        };
    return new CopyTierBuilder(nodes, near, true);
  }

  /**
   * Returns the rule for weighted routing. With equal weights the copies of a tier are equivalent;
   * otherwise the order carries the weights.
   */
  private static @Nullable Predicate<ShardRouting> rankedByWeight(
      DiscoveryNodes nodes,
      ClusterViewSettings.RoutingSettings rules,
      WeightedRoutingMetadata weights) {
    Map<String, Double> byValue = weights.getWeightedRouting().weights();
    String attribute = weights.getWeightedRouting().attributeName();
    Set<Double> shares = new HashSet<>(byValue.values());
    for (DiscoveryNode node : nodes.getDataNodes().values()) {
      if (!byValue.containsKey(node.getAttributes().get(attribute))) {
        shares.add(rules.weighted().defaultWeight());
      }
    }
    shares.removeIf(share -> share <= 0);
    if (shares.size() > 1) {
      return null;
    }
    return copy -> {
      DiscoveryNode node = nodes.get(copy.currentNodeId());
      return node != null
          && byValue.getOrDefault(
                  node.getAttributes().get(attribute), rules.weighted().defaultWeight())
              > 0;
    };
  }
}
