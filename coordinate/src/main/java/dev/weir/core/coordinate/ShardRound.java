package dev.weir.core.coordinate;

import dev.weir.core.coordinate.SearchWork.OpenContext;
import dev.weir.model.NodeCallType;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.ReplyFrame;
import org.jspecify.annotations.Nullable;

/**
 * A round of a search that queries every shard once, on the first of its copies that answers:
 * can-match, query, dfs, opening a point in time. Shards are numbered by their place in the round.
 * Confined to the request's event loop.
 */
public interface ShardRound<R> {
  /** The phase's name as OpenSearch writes it, such as {@code query}. */
  String name();

  /**
   * Builds the call for a shard's copy on a node, just before it is sent, because results of other
   * shards can make it cheaper.
   *
   * @throws Exception when it can't be built; counts as the copy's failure
   */
  NodeCall<R> createCall(int shard, String nodeId) throws Exception;

  /**
   * A call that can be abandoned apart from all others.
   *
   * @param taskBan its task on the node; null if the call is a child of the search's task like the
   *     others, because it is not worth cancelling alone
   * @param orphanedContext finds what a reply leaves open on the node
   */
  record HedgeableCall<R>(
      NodeCall<R> call, @Nullable NodeTaskBan taskBan, OrphanedContextFinder<R> orphanedContext) {}

  /** Finds what an abandoned copy leaves open on its node. */
  interface OrphanedContextFinder<R> {
    /** From its reply; null for nothing. */
    @Nullable OpenContext find(R reply);

    /** From a failure after the node replied, or without a reply; null for nothing. */
    @Nullable OpenContext find(NodeCallException failure);
  }

  /**
   * Whether a second copy may be queried while the first is in flight: what the loser leaves on its
   * node can be freed.
   */
  default boolean isHedgeable() {
    return false;
  }

  /**
   * Like {@link #createCall}, for a call that another one may replace; for a round that {@link
   * #isHedgeable}.
   *
   * @throws Exception when it can't be built; counts as the copy's failure
   */
  default HedgeableCall<R> createHedgeableCall(int shard, String nodeId) throws Exception {
    throw new IllegalStateException("got a second call (expected: none in round " + name() + ")");
  }

  /** What a call causes on its node. */
  NodeCallType callType();

  /**
   * Whether a shard's request may wait in the gateway until the node of one of its copies has
   * capacity: only where every copy gives the same result.
   */
  default boolean canQueue() {
    return false;
  }

  /**
   * Whether a shard's request may be sent before there is room for it on its node, to wait there:
   * only where the results of other shards can't make it cheaper.
   */
  default boolean canQueueOnNode() {
    return false;
  }

  /** Tasks queued in the node's pool, from the reply; negative when it does not report them. */
  int queueSize(R reply);

  /**
   * The node's EWMA of service time in nanoseconds, from the reply; negative when it does not
   * report it.
   */
  long serviceTimeNanos(R reply);

  /**
   * Takes a shard's reply in.
   *
   * @param frame holds the reply's bytes; the round retains it as long as needed
   * @param consumed runs once on the event loop when the reply was taken in, perhaps later
   */
  void onReply(int shard, String nodeId, R reply, ReplyFrame frame, Runnable consumed);

  /** Records that a copy failed. */
  void onFailure(int shard, String nodeId, Exception failure);

  /** Records that a shard has no copy to query. */
  void onUnavailable(int shard);

  /** Whether the copy on this node must not be tried after that failure of another copy. */
  boolean shouldSkipCopy(int shard, String nodeId, Exception failure);

  /** Whether the failure means that the shard may have moved since the plan was made. */
  boolean isStale(Exception failure);

  /** How many shards have a failure that the response lists. */
  int failureCount();
}
