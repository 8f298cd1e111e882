package dev.weir.protocol;

import org.jspecify.annotations.Nullable;

/** Receives the one response or failure of a call, on the executor that the caller passed. */
public interface ReplyHandler<R> {
  /**
   * Handles the node's response.
   *
   * @param frame the frame that contains the reply's byte slices (document sources, highlights,
   *     serialized aggregations); retain it to use them after this method returns
   */
  void onReply(R reply, ReplyFrame frame);

  /**
   * Handles a failure; {@link NodeCallException#kind()} says whether the node may have executed the
   * call.
   */
  void onFailure(NodeCallException failure);

  /**
   * Returns the budget for the response's memory, in addition to the client's budget; null for
   * none. Called once for each response, on the channel's event loop.
   */
  default @Nullable FrameBudget budget() {
    return null;
  }

  /**
   * Returns whether the request asks the node for a {@link NodeLoadReport}; only nodes that
   * announced the capability give one. Called when the request is encoded, on the channel's event
   * loop.
   */
  default boolean wantsLoadReport() {
    return false;
  }

  /**
   * Returns whether the channel may skip the response unread; then {@link #onReply} is not called.
   * Called on the channel's event loop.
   */
  default boolean isReplyIgnored() {
    return false;
  }

  /**
   * Returns whether the request may wait for a few milliseconds, so that it leaves together with
   * another one to the same node. Called on the channel's event loop.
   */
  default boolean isDeferrable() {
    return false;
  }

  /**
   * Returns whether the response would be used; false if it is only read to free what it leaves on
   * the node, because another node has answered. Called on the executor that the caller passed.
   */
  default boolean isResultUsed() {
    return true;
  }
}
