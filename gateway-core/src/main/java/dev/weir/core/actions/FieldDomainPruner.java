package dev.weir.core.actions;

import dev.weir.cluster.ClusterView;
import dev.weir.core.reduce.round.SearchScope.ShardScope;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import org.opensearch.action.search.SearchIndexPruningService;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchShardIterator;
import org.opensearch.action.search.pruning.FieldDomainEvaluationContext;
import org.opensearch.action.search.pruning.SearchIndexPruningResult;
import org.opensearch.action.search.pruning.SearchIndexPruningSettings;
import org.opensearch.cluster.routing.GroupShardsIterator;
import org.opensearch.common.settings.ClusterSettings;
import org.opensearch.index.fielddomain.ClusterStateFieldDomainProvider;

/**
 * Finds the shards that cannot match by the cluster's field domains, where the cluster settings
 * enable that.
 */
final class FieldDomainPruner {
  private FieldDomainPruner() {}

  /** By ordinal, whether to skip the shard. */
  static List<Boolean> skippedShards(
      ClusterView view, SearchRequest request, List<ShardScope> shards) {
    if (!view.settings().search().features().indexPruning()) {
      return Collections.nCopies(shards.size(), Boolean.FALSE);
    }
    List<SearchShardIterator> iterators = new ArrayList<>(shards.size());
    for (ShardScope shard : shards) {
      iterators.add(new SearchShardIterator(null, shard.id(), List.of(), shard.indices()));
    }
    ClusterSettings settings =
        new ClusterSettings(
            view.settings().effective(), new HashSet<>(SearchIndexPruningSettings.getSettings()));
    SearchIndexPruningResult pruned =
        new SearchIndexPruningService(settings, new ClusterStateFieldDomainProvider())
            .prune(
                request,
                new GroupShardsIterator<>(iterators),
                view.state(),
                new FieldDomainEvaluationContext(request::getOrCreateAbsoluteStartMillis));
    List<Boolean> skipped = new ArrayList<>(shards.size());
    for (int ordinal = 0; ordinal < shards.size(); ordinal++) {
      skipped.add(pruned.pruned() && pruned.isPrunedShardGroup(ordinal));
    }
    return skipped;
  }
}
