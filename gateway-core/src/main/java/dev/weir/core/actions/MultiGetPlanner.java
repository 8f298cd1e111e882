package dev.weir.core.actions;

import dev.weir.cluster.ClusterView;
import dev.weir.cluster.DocumentShardResolver;
import dev.weir.core.reduce.items.MultiGetResponseCollector;
import dev.weir.model.PassThroughException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.opensearch.action.RoutingMissingException;
import org.opensearch.action.get.MultiGetInternals;
import org.opensearch.action.get.MultiGetRequest;
import org.opensearch.action.get.MultiGetShardRequest;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.block.ClusterBlockLevel;
import org.opensearch.cluster.routing.Preference;
import org.opensearch.core.index.Index;
import org.opensearch.core.index.shard.ShardId;
import org.opensearch.index.IndexNotFoundException;
import org.opensearch.indices.IndexClosedException;

/** Groups the items of a multi-get by shard, by one view. Used once. */
final class MultiGetPlanner {
  private final DocumentActionServices tools;
  private final ClusterView view;
  private final MultiGetRequest request;
  private final MultiGetResponseCollector items;
  private final Map<ShardId, MultiGetShardRequest> shards = new LinkedHashMap<>();

  MultiGetPlanner(DocumentActionServices tools, ClusterView view, MultiGetRequest request) {
    this.tools = tools;
    this.view = view;
    this.request = request;
    this.items = new MultiGetResponseCollector(request.getItems().size());
  }

  MultiGetResponseCollector items() {
    return items;
  }

  Collection<MultiGetShardRequest> shards() {
    return shards.values();
  }

  /**
   * Plans the items.
   *
   * @param cautious stop when the view lacks an index
   * @return false when it stopped
   */
  boolean plan(boolean cautious) {
    DocumentReadChecks.checkBlock(
        view.state().blocks().globalBlockedException(ClusterBlockLevel.READ));
    for (int place = 0; place < request.getItems().size(); place++) {
      MultiGetRequest.Item item = request.getItems().get(place);
      Index index;
      try {
        index = resolve(item);
      } catch (PassThroughException e) {
        throw e;
      } catch (RoutingMissingException missing) {
        items.fail(place, missing.getIndex().getName(), item.id(), missing);
        continue;
      } catch (RuntimeException refused) {
        if (cautious
            && (refused instanceof IndexNotFoundException
                || refused instanceof IndexClosedException)) {
          return false;
        }
        items.fail(place, item.index(), item.id(), refused);
        continue;
      }
      addItem(place, item, index);
    }
    return true;
  }

  private Index resolve(MultiGetRequest.Item item) {
    ClusterState state = view.state();
    Index index = tools.names().resolveSingle(view, item);
    DocumentReadChecks.requireNonSystemIndex(state, index);
    item.routing(state.metadata().resolveIndexRouting(item.routing(), item.index()));
    if (item.routing() == null && state.metadata().routingRequired(index.getName())) {
      throw new RoutingMissingException(index.getName(), item.id());
    }
    return index;
  }

  private void addItem(int place, MultiGetRequest.Item item, Index index) {
    ShardId shard = DocumentShardResolver.shardOf(view, index, item.id(), item.routing());
    MultiGetShardRequest shardRequest = shards.get(shard);
    if (shardRequest == null) {
      if (request.preference() == null
          && DocumentShardResolver.effectivePreference(view, index, request.realtime(), null)
              != null) {
        request.preference(Preference.PRIMARY.type()); // also for the following items, as on a node
      }
      shardRequest =
          MultiGetInternals.createShardRequest(request, shard.getIndexName(), shard.id());
      shards.put(shard, shardRequest);
    }
    MultiGetInternals.add(shardRequest, place, item);
  }
}
