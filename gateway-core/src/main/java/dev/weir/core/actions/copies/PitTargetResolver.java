package dev.weir.core.actions.copies;

import dev.weir.cluster.ClusterView;
import dev.weir.core.actions.contexts.PitIdParser;
import dev.weir.core.reduce.round.SearchCallTypeClassifier;
import dev.weir.core.reduce.round.SearchScope.ShardScope;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.opensearch.action.OriginalIndices;
import org.opensearch.action.search.SearchContextId;
import org.opensearch.action.search.SearchContextIdForNode;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.cluster.routing.OperationRouting;
import org.opensearch.common.unit.TimeValue;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.core.index.Index;
import org.opensearch.core.index.shard.ShardId;

/** Resolves the target of a search in a point in time: the contexts in its id. */
public final class PitTargetResolver {
  private PitTargetResolver() {}

  public static SearchTarget resolve(
      ClusterView view, NamedWriteableRegistry writeables, SearchRequest request) {
    SearchContextId pit = PitIdParser.parse(writeables, request.pointInTimeBuilder().getId());
    OriginalIndices indices = new OriginalIndices(pit.getActualIndices(), request.indicesOptions());
    TimeValue keepAlive = request.pointInTimeBuilder().getKeepAlive();
    List<Map.Entry<ShardId, SearchContextIdForNode>> entries =
        new ArrayList<>(pit.shards().entrySet());
    entries.sort(Map.Entry.comparingByKey(Comparator.naturalOrder()));
    List<ShardScope> shards = new ArrayList<>(entries.size());
    List<OrderedCopies> copies = new ArrayList<>(entries.size());
    Set<Index> concrete = new LinkedHashSet<>();
    for (Map.Entry<ShardId, SearchContextIdForNode> entry : entries) {
      OperationRouting.getShards(
          view.state(), entry.getKey()); // throws when the index no longer exists
      shards.add(
          new ShardScope(
              entry.getKey(), indices, entry.getValue().getSearchContextId(), keepAlive));
      copies.add(OrderedCopies.ofFixedOrder(List.of(entry.getValue().getNode())));
      IndexMetadata metadata = view.state().metadata().index(entry.getKey().getIndexName());
      if (metadata != null) {
        concrete.add(metadata.getIndex());
      }
    }
    return new SearchTarget(
        List.copyOf(concrete),
        shards,
        copies,
        SearchCallTypeClassifier.perShard(request, shards.size()),
        pit.aliasFilter(),
        Map.of(),
        null);
  }
}
