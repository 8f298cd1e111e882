package dev.weir.cluster;

import dev.weir.cluster.read.Identity;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.opensearch.cluster.routing.RoutingTable;
import org.opensearch.core.index.Index;

/**
 * What the names of a search mean in all views with the same metadata. Safe on any thread.
 *
 * @see ResolvedNamesCache
 */
final class ResolvedNames {
  private final List<Index> indices;
  private final Map<String, Set<String>> routing;
  private final Map<String, String[]> filteringAliases;
  private volatile @Nullable WholeTargets wholeTargets;

  /**
   * Creates the meaning of names.
   *
   * @param indices concrete indices, in the resolver's order
   * @param routing routing values by index name; empty for none
   * @param filteringAliases names of the aliases whose filters apply, by index name; none for
   *     indices without
   */
  ResolvedNames(
      List<Index> indices,
      Map<String, Set<String>> routing,
      Map<String, String[]> filteringAliases) {
    this.indices = List.copyOf(indices);
    this.routing = Map.copyOf(routing);
    this.filteringAliases = Map.copyOf(filteringAliases);
  }

  List<Index> indices() {
    return indices;
  }

  Map<String, Set<String>> routing() {
    return routing;
  }

  Map<String, String[]> filteringAliases() {
    return filteringAliases;
  }

  /**
   * What the targets of all shards depend on besides the names.
   *
   * @param cache shared by views with the same nodes
   * @param settings how copies are ranked
   * @param routing the routing of all indices
   */
  record TargetInputs(
      ShardTargetCache cache, ClusterViewSettings.RoutingSettings settings, RoutingTable routing) {}

  /** The targets of all shards, with the newest inputs that they are known to be valid for. */
  private record WholeTargets(TargetInputs inputs, List<ShardTarget> targets) {}

  /** Returns the targets of all shards, in their order; null if they are not known. */
  @Nullable List<ShardTarget> wholeTargets(TargetInputs now) {
    WholeTargets known = wholeTargets;
    if (known == null
        || !Identity.isSame(known.inputs().cache(), now.cache())
        || !known.inputs().settings().equals(now.settings())) {
      return null;
    }
    if (!Identity.isSame(known.inputs().routing(), now.routing())) {
      for (Index index : indices) {
        if (!Identity.isSame(known.inputs().routing().index(index), now.routing().index(index))) {
          return null;
        }
      }
      keepWholeTargets(now, known.targets());
    }
    return known.targets();
  }

  /** Keeps the targets of all shards, which are the same for every such search. */
  void keepWholeTargets(TargetInputs inputs, List<ShardTarget> targets) {
    wholeTargets = new WholeTargets(inputs, targets);
  }
}
