package dev.weir.gateway.reduce;

import dev.weir.protocol.NodeCall;
import dev.weir.protocol.ReplyFrame;

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
  NodeCall<R> call(int shard, String nodeId) throws Exception;

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
  void reply(int shard, String nodeId, R reply, ReplyFrame frame, Runnable consumed);

  /** Notes that a copy failed. */
  void failed(int shard, String nodeId, Exception failure);

  /** Notes that a shard has no copy that could be asked. */
  void unavailable(int shard);

  /** Whether a copy on this node must not be tried after that failure of another copy. */
  boolean passesOver(int shard, String nodeId, Exception failure);

  /** Whether the failure tells that the shard may have moved since the plan was made. */
  boolean stale(Exception failure);

  /** How many shards have a failure that goes into the answer. */
  int failures();
}
