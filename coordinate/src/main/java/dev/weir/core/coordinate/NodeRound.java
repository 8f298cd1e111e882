package dev.weir.core.coordinate;

import dev.weir.model.NodeCallType;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.ReplyFrame;
import org.jspecify.annotations.Nullable;

/**
 * A round of calls that only one node each can answer, because it holds the state: the query of a
 * dfs search, the fetch, the rounds of a scroll. Confined to the request's event loop.
 */
public interface NodeRound<R> {
  /** The phase's name as OpenSearch writes it, such as {@code fetch}. */
  String name();

  /**
   * What the call causes on its node; null for a call that says nothing about the node's load, such
   * as freeing a search context.
   */
  @Nullable NodeCallType callType(int call);

  int callCount();

  String nodeId(int call);

  /**
   * Builds a call.
   *
   * @throws Exception when it can't be built; counts as the call's failure
   */
  NodeCall<R> createCall(int call) throws Exception;

  /**
   * The bytes that a call sends, about, if a round of many could fill the memory for calls to
   * nodes; 0 for a small call. {@link SingleRoundRunner} bounds their sum.
   */
  default long payloadBytes(int call) {
    return 0;
  }

  /** Tasks queued in the node's pool, from the reply; negative when it does not report them. */
  default int queueSize(R reply) {
    return -1;
  }

  /**
   * The node's EWMA of service time in nanoseconds, from the reply; negative when it does not
   * report it.
   */
  default long serviceTimeNanos(R reply) {
    return -1;
  }

  /**
   * Takes a reply in.
   *
   * @param frame holds the reply's bytes; the round retains it as long as needed
   * @param consumed runs once on the event loop when the reply was taken in, perhaps later
   */
  void onReply(int call, R reply, ReplyFrame frame, Runnable consumed);

  /**
   * Records a failed call.
   *
   * @return whether its shard, which had succeeded in the round before, counts as failed now
   */
  boolean onFailure(int call, Exception failure);

  /**
   * Whether the call failed because its node, or the state that the node held, was lost: the search
   * may succeed when it starts over on other copies.
   */
  default boolean isContextLost(Exception failure) {
    return false;
  }

  /**
   * Whether the search may start over on other copies while calls of this round are in flight:
   * their results are ignored, and all contexts are freed.
   */
  default boolean canStartOver() {
    return false;
  }

  /**
   * Whether the search may use a copy when it starts over because another one is late.
   *
   * @param ordinal the shard's number among the search's shards
   */
  default boolean canStartOverOn(int ordinal, String nodeId) {
    return true;
  }
}
