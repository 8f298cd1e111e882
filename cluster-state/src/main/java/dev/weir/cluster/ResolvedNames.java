package dev.weir.cluster;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.index.Index;

/**
 * What the names of a search mean in one view. Safe on any thread.
 *
 * @see ResolvedNamesCache
 */
final class ResolvedNames {
  private final List<Index> indices;
  private final Map<String, Set<String>> routing;
  private final Map<String, String[]> filteringAliases;
  private volatile @Nullable List<ShardTarget> wholeTargets;

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

  /** Returns the targets of all shards, in their order; null if they are not known yet. */
  @Nullable List<ShardTarget> wholeTargets() {
    return wholeTargets;
  }

  /** Keeps the targets of all shards, which are the same for every such search. */
  void keepWholeTargets(List<ShardTarget> targets) {
    wholeTargets = targets;
  }
}
