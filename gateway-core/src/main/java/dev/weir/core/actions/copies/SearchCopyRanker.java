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
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.index.shard.ShardId;

/**
 * Ranks the copies of shards: by the selector where the cluster enables adaptive replica selection,
 * otherwise in turns. As on a node, a shard has turns of its own: turns of all shards together
 * would give a shard the same copy in each search of an even number of shards. Safe on any thread.
 */
public final class SearchCopyRanker {
  /**
   * The number of counts of turns, of 4 bytes each. Shards that share one may get the same copy in
   * each search: of a thousand indices with a shard each, some 8 pairs do. Shards of one index
   * share none.
   */
  private static final int COUNTS = 1 << 16;

  /** Spreads indices over the counts. */
  private static final int INDEX_MULTIPLIER = 0x9E3779B9;

  private final ReplicaSelector selector;
  private final AtomicIntegerArray turns = new AtomicIntegerArray(COUNTS);

  /** Creates a ranker whose shards have had no turn yet. */
  public SearchCopyRanker(ReplicaSelector selector) {
    this.selector = selector;
    for (int i = 0; i < COUNTS; i++) {
      turns.set(i, i); // the shards of an index do not all begin with their first copy
    }
  }

  /**
   * The copies of the shard for a search that causes this work, best first.
   *
   * @param policy the search's policy
   * @param scorer records the ranking; null to record nothing
   */
  public OrderedCopies rank(
      ClusterView view,
      ShardTarget target,
      NodeCallType work,
      RequestPolicy policy,
      @Nullable CopyScorer scorer) {
    boolean adaptive = view.settings().routing().adaptive();
    ReplicaSelector ranking = selector.forPolicy(policy);
    List<ShardCopy> ordered =
        adaptive ? target.order(ranking, work) : rotate(target, ranking, work.phase());
    List<String> nodes = new ArrayList<>(ordered.size());
    for (ShardCopy copy : ordered) {
      nodes.add(copy.nodeId());
    }
    ShardRoutingRecorder notes =
        scorer == null
            ? ShardRoutingRecorder.NONE
            : scorer.recordRanking(target, ordered, adaptive && !target.isOrderFixed());
    return new OrderedCopies(
        nodes, adaptive ? target.interchangeableCopies(ordered) : List.of(), notes);
  }

  private List<ShardCopy> rotate(ShardTarget target, ReplicaSelector ranking, Phase phase) {
    if (target.isOrderFixed()) {
      return ranking.drainedLast(target.copies(), phase);
    }
    int first = turns.getAndIncrement(count(target.shardId()));
    List<ShardCopy> ordered = new ArrayList<>(4);
    for (List<ShardCopy> tier : target.tiers()) {
      for (int copy = 0; copy < tier.size(); copy++) {
        ordered.add(tier.get(Math.floorMod(first + copy, tier.size())));
      }
    }
    return ranking.drainedLast(ordered, phase);
  }

  private static int count(ShardId shard) {
    return Math.floorMod(shard.getIndex().hashCode() * INDEX_MULTIPLIER + shard.id(), COUNTS);
  }
}
