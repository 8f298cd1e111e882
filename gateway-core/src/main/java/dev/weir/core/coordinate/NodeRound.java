package dev.weir.core.coordinate;

import dev.weir.model.NodeCallType;
import dev.weir.model.Phase;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.ReplyFrame;

/**
 * A round of calls that each have just one node that can answer, because it holds the state: the
 * query of a dfs search, the fetch, the rounds of a scroll. Confined to the request's home.
 */
public interface NodeRound<R> {
  /** The phase's name as OpenSearch writes it, such as {@code fetch}. */
  String name();

  /** What kind of work the calls are. */
  Phase phase();

  /** What a call asks of its node. */
  default NodeCallType callType(int call) {
    return NodeCallType.forPhase(phase());
  }

  /** How many calls there are. */
  int callCount();

  /** The node that a call goes to. */
  String nodeId(int call);

  /**
   * The call.
   *
   * @throws Exception when it can't be made, as if it had failed with that
   */
  NodeCall<R> createCall(int call) throws Exception;

  /** Tasks waiting in the node's pool, as the reply says; negative when it does not. */
  default int queueSize(R reply) {
    return -1;
  }

  /** The node's EWMA of service time in nanoseconds, as the reply says; negative when not. */
  default long serviceTimeNanos(R reply) {
    return -1;
  }

  /**
   * Takes an answer.
   *
   * @param frame what the reply's bytes lie in; retained by the round as long as needed
   * @param consumed runs once when the answer has been taken in, on the home, perhaps later
   */
  void onReply(int call, R reply, ReplyFrame frame, Runnable consumed);

  /**
   * Notes that a call failed.
   *
   * @return whether its shard, which had answered the round before, counts as failed now
   */
  boolean onFailure(int call, Exception failure);

  /**
   * Whether the call failed because its node, or what it held for the search, is gone, so that the
   * search may succeed when it starts over on other copies.
   */
  default boolean isContextLost(Exception failure) {
    return false;
  }
}
