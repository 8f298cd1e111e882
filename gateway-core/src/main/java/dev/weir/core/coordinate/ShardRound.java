package dev.weir.core.coordinate;

import dev.weir.core.coordinate.SearchWork.OpenContext;
import dev.weir.model.NodeCallType;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.ReplyFrame;
import org.jspecify.annotations.Nullable;

/**
 * A round of a search in which every shard is asked once, on the first of its copies that answers:
 * can-match, query, dfs, opening a point in time. Shards are known by their place in the round.
 * Confined to the request's home.
 */
public interface ShardRound<R> {
  /** The phase's name as OpenSearch writes it, such as {@code query}. */
  String name();

  /**
   * The call for a shard's copy on a node; made when it is sent, because what came back from other
   * shards meanwhile can make it cheaper.
   *
   * @throws Exception when this copy can't be asked, as if it had failed with that
   */
  NodeCall<R> createCall(int shard, String nodeId) throws Exception;

  /**
   * A call that can be given up apart from all others.
   *
   * @param taskBan its task on the node
   * @param orphanedContext what an answer leaves open on the node
   */
  record HedgeableCall<R>(
      NodeCall<R> call, NodeTaskBan taskBan, OrphanedContextFinder<R> orphanedContext) {}

  /** What a copy that nobody waits for any more leaves open on its node. */
  interface OrphanedContextFinder<R> {
    /** By its answer; null for nothing. */
    @Nullable OpenContext find(R reply);

    /** By an answer that there was no room for, or none; null for nothing. */
    @Nullable OpenContext find(NodeCallException failure);
  }

  /**
   * Whether a second copy may be asked while the first has not answered: whatever the loser leaves
   * on its node can be freed.
   */
  default boolean isHedgeable() {
    return false;
  }

  /**
   * Like {@link #createCall}, as a task of its own on the node; for a round that is {@link
   * #isHedgeable}.
   *
   * @throws Exception when this copy can't be asked, as if it had failed with that
   */
  default HedgeableCall<R> createHedgeableCall(int shard, String nodeId) throws Exception {
    throw new IllegalStateException("got a second call (expected: none in round " + name() + ")");
  }

  /** What a call asks of its node. */
  NodeCallType callType();

  /**
   * Whether a shard's request may wait in the gateway until one of its copies has room: only where
   * any of them will do.
   */
  default boolean canQueue() {
    return false;
  }

  /** Tasks waiting in the node's pool, as the reply says; negative when it does not. */
  int queueSize(R reply);

  /** The node's EWMA of service time in nanoseconds, as the reply says; negative when not. */
  long serviceTimeNanos(R reply);

  /**
   * Takes the answer of a shard.
   *
   * @param frame what the reply's bytes lie in; retained by the round as long as needed
   * @param consumed runs once when the answer has been taken in, on the home, perhaps later
   */
  void onReply(int shard, String nodeId, R reply, ReplyFrame frame, Runnable consumed);

  /** Notes that a copy failed. */
  void onFailure(int shard, String nodeId, Exception failure);

  /** Notes that a shard has no copy that could be asked. */
  void onUnavailable(int shard);

  /** Whether a copy on this node must not be tried after that failure of another copy. */
  boolean shouldSkipCopy(int shard, String nodeId, Exception failure);

  /** Whether the failure tells that the shard may have moved since the plan was made. */
  boolean isStale(Exception failure);

  /** How many shards have a failure that goes into the answer. */
  int failureCount();
}
