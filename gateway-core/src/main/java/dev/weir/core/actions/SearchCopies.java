package dev.weir.core.actions;

import dev.weir.core.actions.explain.Weighing;
import dev.weir.cluster.ClusterView;
import dev.weir.cluster.ShardTarget;
import dev.weir.model.RequestPolicy;
import dev.weir.model.ShardCopy;
import dev.weir.model.ShardNotes;
import dev.weir.model.Work;
import dev.weir.routing.ReplicaSelector;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Orders the copies of shards: by the selector where the cluster has adaptive replica selection on,
 * otherwise in turn. Safe on any thread.
 */
final class SearchCopies {
  private final ReplicaSelector selector;
  private final AtomicInteger turn = new AtomicInteger();

  SearchCopies(ReplicaSelector selector) {
    this.selector = selector;
  }

  /**
   * The copies of the shard for a search that asks this of it, best first.
   *
   * @param policy that the search goes by
   * @param weighing what is told of the order; null for nothing
   */
  OrderedCopies order(
      ClusterView view,
      ShardTarget target,
      Work work,
      RequestPolicy policy,
      @Nullable Weighing weighing) {
    boolean adaptive = view.settings().routing().adaptive();
    List<ShardCopy> ordered = adaptive ? target.order(selector.by(policy), work) : inTurn(target);
    List<String> nodes = new ArrayList<>(ordered.size());
    for (ShardCopy copy : ordered) {
      nodes.add(copy.nodeId());
    }
    ShardNotes notes =
        weighing == null
            ? ShardNotes.NONE
            : weighing.chose(target, ordered, adaptive && !target.orderFixed());
    return new OrderedCopies(nodes, adaptive ? target.free(ordered) : List.of(), notes);
  }

  private List<ShardCopy> inTurn(ShardTarget target) {
    if (target.orderFixed()) {
      return target.copies();
    }
    int first = turn.getAndIncrement();
    List<ShardCopy> ordered = new ArrayList<>(4);
    for (List<ShardCopy> tier : target.tiers()) {
      for (int copy = 0; copy < tier.size(); copy++) {
        ordered.add(tier.get(Math.floorMod(first + copy, tier.size())));
      }
    }
    return ordered;
  }
}
