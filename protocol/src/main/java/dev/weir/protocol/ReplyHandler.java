package dev.weir.protocol;

import org.jspecify.annotations.Nullable;

/** Receives the one outcome of a call, on the executor that the caller named. */
public interface ReplyHandler<R> {
  /**
   * The node answered.
   *
   * @param frame the frame that the reply's byte slices lie in (documents' sources, highlights,
   *     aggregations that were not expanded); retain it to use them after this method returns
   */
  void onReply(R reply, ReplyFrame frame);

  /** The call failed; {@link NodeCallException#kind()} says whether the node may have seen it. */
  void onFailure(NodeCallException failure);

  /**
   * Pays for the answer's memory, beside the budget of the whole client; null when nobody else
   * does. Asked once an answer, on the channel's event loop.
   */
  default @Nullable FrameBudget budget() {
    return null;
  }
}
