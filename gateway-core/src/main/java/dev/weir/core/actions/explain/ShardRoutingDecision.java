package dev.weir.core.actions.explain;

import dev.weir.cluster.ShardTarget;
import dev.weir.model.NodeCallType;
import dev.weir.model.ShardRoutingRecorder;
import dev.weir.routing.ScoredCopy;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A shard whose copies were put in order, and which of them were asked. Written on the request's
 * event loop, read on any thread.
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
   * Makes one of which no copy was asked yet.
   *
   * @param byScore whether scores decided, where there was something to choose
   * @param copies in the order in which to try them; nobody changes them any more
   * @param primary which of them is the primary; -1 for none
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

  /** Links the shard to the one that was ranked before it; before it is published. */
  void setPrevious(@Nullable ShardRoutingDecision earlier) {
    previous = earlier;
  }

  @Override
  public void recordAttempt(String phase, String nodeId, Reason reason) {
    if (request.tryAddCall(reason)) {
      newestCall = new CopyCall(phase, nodeId, reason, request.nanoTime(), newestCall);
    }
  }

  /** The newest that is under way on this node is over. */
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

  /** The one of the same request that was put in order before it. */
  @Nullable ShardRoutingDecision previous() {
    return previous;
  }

  /** The copy that was asked last; null for none. */
  @Nullable CopyCall newestCall() {
    return newestCall;
  }
}
