package dev.weir.core.actions.copies;

import dev.weir.cluster.ClusterView;
import dev.weir.cluster.ShardTarget;
import dev.weir.core.actions.explain.CopyScorer;
import dev.weir.model.NodeCallType;
import dev.weir.model.Phase;
import dev.weir.model.RequestPolicy;
import dev.weir.model.ShardCopy;
import dev.weir.model.ShardRoutingRecorder;
import dev.weir.routing.ReplicaSelector;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Ranks the copies of shards: by the selector where the cluster enables adaptive replica selection,
 * otherwise round robin. Safe on any thread.
 */
public final class SearchCopyRanker {
  private final ReplicaSelector selector;
  private final AtomicInteger roundRobinCounter = new AtomicInteger();

  public SearchCopyRanker(ReplicaSelector selector) {
    this.selector = selector;
  }

  /**
   * The copies of the shard for a search that causes this work, best first.
   *
   * @param policy the search's policy
   * @param weighing records the ranking; null to record nothing
   */
  public OrderedCopies rank(
      ClusterView view,
      ShardTarget target,
      NodeCallType work,
      RequestPolicy policy,
      @Nullable CopyScorer weighing) {
    boolean adaptive = view.settings().routing().adaptive();
    ReplicaSelector ranking = selector.forPolicy(policy);
    List<ShardCopy> ordered =
        adaptive ? target.order(ranking, work) : rotate(target, ranking, work.phase());
    List<String> nodes = new ArrayList<>(ordered.size());
    for (ShardCopy copy : ordered) {
      nodes.add(copy.nodeId());
    }
    ShardRoutingRecorder notes =
        weighing == null
            ? ShardRoutingRecorder.NONE
            : weighing.recordRanking(target, ordered, adaptive && !target.isOrderFixed());
    return new OrderedCopies(
        nodes, adaptive ? target.interchangeableCopies(ordered) : List.of(), notes);
  }

  private List<ShardCopy> rotate(ShardTarget target, ReplicaSelector ranking, Phase phase) {
    if (target.isOrderFixed()) {
      return ranking.drainedLast(target.copies(), phase);
    }
    int first = roundRobinCounter.getAndIncrement();
    List<ShardCopy> ordered = new ArrayList<>(4);
    for (List<ShardCopy> tier : target.tiers()) {
      for (int copy = 0; copy < tier.size(); copy++) {
        ordered.add(tier.get(Math.floorMod(first + copy, tier.size())));
      }
    }
    return ranking.drainedLast(ordered, phase);
  }
}
