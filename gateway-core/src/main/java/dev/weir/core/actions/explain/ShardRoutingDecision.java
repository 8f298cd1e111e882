package dev.weir.core.actions.explain;

import dev.weir.cluster.ShardTarget;
import dev.weir.model.NodeCallType;
import dev.weir.model.ShardRoutingRecorder;
import dev.weir.routing.ScoredCopy;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The ranking of a shard's copies, and the calls to them. Written on the request's event loop, read
 * on any thread.
 */
final class ShardRoutingDecision implements ShardRoutingRecorder {
  private final RoutingCallLog request;
  private final String index;
  private final int shardId;
  private final NodeCallType work;
  private final boolean scored;
  private final ScoredCopy[] copies;
  private final int primary;
  private @Nullable ShardRoutingDecision previous;
  private volatile @Nullable CopyCall newestCall;

  /**
   * Creates a decision without calls.
   *
   * @param byScore whether scores decided about copies with a free choice
   * @param copies in rank order; not changed any more
   * @param primary the index of the primary; -1 for none
   */
  ShardRoutingDecision(
      RoutingCallLog request,
      NodeCallType work,
      ShardTarget target,
      boolean byScore,
      ScoredCopy[] copies,
      int primary) {
    this.request = request;
    this.work = work;
    this.index = target.shardId().getIndexName();
    this.shardId = target.shardId().id();
    this.scored = byScore;
    this.copies = copies;
    this.primary = primary;
  }

  /** Links the shard to the one that was ranked before it; called before publication. */
  void setPrevious(@Nullable ShardRoutingDecision earlier) {
    previous = earlier;
  }

  @Override
  public void recordAttempt(String phase, String nodeId, Reason reason) {
    if (request.tryAddCall(reason)) {
      newestCall = new CopyCall(phase, nodeId, reason, request.nanoTime(), newestCall);
    }
  }

  /** Ends the newest running call to this node. */
  @Override
  public void recordOutcome(String nodeId, Outcome outcome) {
    if (outcome == Outcome.FAILED) {
      request.markRemarkable();
    }
    for (CopyCall one = newestCall; one != null; one = one.previous()) {
      if (one.outcome() == null && one.nodeId().equals(nodeId)) {
        one.end(outcome, request.nanoTime());
        return;
      }
    }
  }

  @Override
  public void recordRestart(Set<String> lostNodeIds) {
    request.markRemarkable();
    for (CopyCall one = newestCall; one != null; one = one.previous()) {
      if (one.outcome() == Outcome.ANSWERED) {
        one.revise(lostNodeIds.contains(one.nodeId()) ? Outcome.NODE_LOST : Outcome.DISCARDED);
      }
    }
  }

  String index() {
    return index;
  }

  int shardId() {
    return shardId;
  }

  NodeCallType work() {
    return work;
  }

  boolean scored() {
    return scored;
  }

  int copies() {
    return copies.length;
  }

  ScoredCopy copy(int i) {
    return copies[i];
  }

  boolean isPrimary(int i) {
    return i == primary;
  }

  /** Returns the shard of the same request that was ranked before it. */
  @Nullable ShardRoutingDecision previous() {
    return previous;
  }

  /** Returns the newest call; null for none. */
  @Nullable CopyCall newestCall() {
    return newestCall;
  }
}
