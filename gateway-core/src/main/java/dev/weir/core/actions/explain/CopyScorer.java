package dev.weir.core.actions.explain;

import dev.weir.cluster.ShardTarget;
import dev.weir.model.NodeCallType;
import dev.weir.model.ShardCopy;
import dev.weir.model.ShardRoutingRecorder;
import dev.weir.routing.CopyRank;
import dev.weir.routing.ReplicaSelector;
import dev.weir.routing.ScoredCopy;
import java.util.Arrays;
import java.util.List;

/**
 * Records the rankings of a request's shards that are ranked at one moment. A node with copies of
 * several shards is scored once. Confined to the request's event loop.
 */
public final class CopyScorer {
  private final RequestRoutingDecisions decisions;
  private final ReplicaSelector selector;
  private final NodeCallType work;
  private ScoredCopy[] nodes = new ScoredCopy[4];
  private int scoredCount;

  CopyScorer(RequestRoutingDecisions request, ReplicaSelector selector, NodeCallType work) {
    this.decisions = request;
    this.selector = selector;
    this.work = work;
  }

  /**
   * Records the order of a shard's copies.
   *
   * @param scored whether scores decided about copies with a free choice
   */
  public ShardRoutingRecorder recordRanking(
      ShardTarget target, List<ShardCopy> ordered, boolean scored) {
    if (!decisions.tryAddShard(ordered.size())) {
      return ShardRoutingRecorder.NONE;
    }
    ScoredCopy[] copies = new ScoredCopy[ordered.size()];
    int primary = -1;
    for (int i = 0; i < copies.length; i++) {
      ShardCopy copy = ordered.get(i);
      copies[i] = score(copy);
      if (copy.primary()) {
        primary = i;
      }
    }
    return decisions.add(
        new ShardRoutingDecision(decisions, work, target, scored, copies, primary));
  }

  private ScoredCopy score(ShardCopy copy) {
    for (int i = 0; i < scoredCount; i++) {
      ScoredCopy known = nodes[i];
      boolean initializing = known.copyRank() == CopyRank.INITIALIZING;
      if (initializing == copy.initializing() && known.nodeId().equals(copy.nodeId())) {
        return known;
      }
    }
    ScoredCopy fresh = selector.scoreCopy(copy, work);
    if (scoredCount == nodes.length) {
      nodes = Arrays.copyOf(nodes, 2 * scoredCount);
    }
    nodes[scoredCount++] = fresh;
    return fresh;
  }
}
