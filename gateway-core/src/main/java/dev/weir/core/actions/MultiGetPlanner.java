package dev.weir.core.actions;

import dev.weir.cluster.ClusterView;
import dev.weir.cluster.DocumentShardResolver;
import dev.weir.core.reduce.items.MultiGetResponseCollector;
import dev.weir.core.reduce.items.StacklessFailure;
import dev.weir.model.PassThroughException;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
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

/** Groups the items of a multi-get by shard, by one view, some at a time. Used once. */
final class MultiGetPlanner {
  /** So many items take the event loop some milliseconds at most. */
  static final int MAX_ITEMS_PER_TASK = 256;

  private final DocumentActionServices tools;
  private final ClusterView view;
  private final MultiGetRequest request;
  private final MultiGetResponseCollector items;
  private final Map<String, ResolvedName> names = new HashMap<>();
  private final Map<ShardId, MultiGetShardRequest> shards = new LinkedHashMap<>();
  private @Nullable String missingIndex;
  private @Nullable StacklessFailure missingFailure;
  private int next;

  /**
   * What a name in the request stands for.
   *
   * @param index null if the name has no index
   * @param failure of each item with this name; null if there is an index
   * @param isMissing whether a newer view may have the index
   */
  private record ResolvedName(
      @Nullable Index index, @Nullable Exception failure, boolean isMissing) {}

  MultiGetPlanner(DocumentActionServices tools, ClusterView view, MultiGetRequest request) {
    this.tools = tools;
    this.view = view;
    this.request = request;
    this.items = new MultiGetResponseCollector(request.getItems().size());
  }

  MultiGetRequest request() {
    return request;
  }

  MultiGetResponseCollector items() {
    return items;
  }

  Collection<MultiGetShardRequest> shards() {
    return shards.values();
  }

  /** How far the plan is. */
  enum Progress {
    /** Items are left. */
    UNFINISHED,
    DONE,
    /** The view lacks an index, which a newer one may have. */
    VIEW_MAY_BE_STALE
  }

  /**
   * Plans the next items.
   *
   * @param cautious stop when the view lacks an index
   */
  Progress plan(boolean cautious) {
    DocumentReadChecks.checkBlock(
        view.state().blocks().globalBlockedException(ClusterBlockLevel.READ));
    int end = Math.min(next + MAX_ITEMS_PER_TASK, request.getItems().size());
    while (next < end) {
      int place = next++;
      MultiGetRequest.Item item = request.getItems().get(place);
      ResolvedName resolved = names.computeIfAbsent(item.index(), _ -> resolve(item));
      Index index = resolved.index();
      if (index == null) {
        if (cautious && resolved.isMissing()) {
          return Progress.VIEW_MAY_BE_STALE;
        }
        items.fail(place, item.index(), item.id(), Objects.requireNonNull(resolved.failure()));
        continue;
      }
      try {
        resolveRouting(item, index);
      } catch (RoutingMissingException missing) {
        items.fail(place, index.getName(), item.id(), StacklessFailure.of(missing));
        continue;
      } catch (RuntimeException refused) {
        items.fail(place, item.index(), item.id(), StacklessFailure.of(refused));
        continue;
      }
      addItem(place, item, index);
    }
    return next < request.getItems().size() ? Progress.UNFINISHED : Progress.DONE;
  }

  /** Resolves an item's index, once for all items that name the same. */
  private ResolvedName resolve(MultiGetRequest.Item item) {
    StacklessFailure alike = failureOfMissing(item.index());
    if (alike != null) {
      return new ResolvedName(null, alike, true);
    }
    try {
      Index index = tools.names().resolveSingle(view, item);
      DocumentReadChecks.requireNonSystemIndex(view.state(), index);
      return new ResolvedName(index, null, false);
    } catch (PassThroughException e) {
      throw e;
    } catch (RuntimeException refused) {
      boolean missing =
          refused instanceof IndexNotFoundException || refused instanceof IndexClosedException;
      Exception failure = StacklessFailure.of(refused);
      if (refused instanceof IndexNotFoundException
          && failure instanceof StacklessFailure plain
          && isPlainMissingName(item.index())) {
        missingIndex = item.index();
        missingFailure = plain;
      }
      return new ResolvedName(null, failure, missing);
    }
  }

  /** Copies the failure of a missing index for another one; null if the name must be resolved. */
  private @Nullable StacklessFailure failureOfMissing(String name) {
    StacklessFailure known = missingFailure;
    String of = missingIndex;
    return known != null && of != null && isPlainMissingName(name) ? known.ofIndex(of, name) : null;
  }

  /**
   * Whether a name stands for nothing: it is no pattern or date math, and there is no such index.
   */
  private boolean isPlainMissingName(String name) {
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      boolean isAlphanumeric = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
      if (!isAlphanumeric && (i == 0 || (c != '-' && c != '_' && c != '.'))) {
        return false;
      }
    }
    return !name.isEmpty() && !view.state().metadata().getIndicesLookup().containsKey(name);
  }

  private void resolveRouting(MultiGetRequest.Item item, Index index) {
    ClusterState state = view.state();
    item.routing(state.metadata().resolveIndexRouting(item.routing(), item.index()));
    if (item.routing() == null && state.metadata().routingRequired(index.getName())) {
      throw new RoutingMissingException(index.getName(), item.id());
    }
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
