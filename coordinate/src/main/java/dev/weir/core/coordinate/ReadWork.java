package dev.weir.core.coordinate;

import dev.weir.cluster.ClusterView;
import dev.weir.model.NodeCallType;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.ReplyFrame;
import org.jspecify.annotations.Nullable;

/** One read of one shard, opaque to the state machine. Called on the request's event loop. */
public interface ReadWork<R> {
  /** Plans the read. */
  ReadPlan plan(ClusterView view);

  /** What the call causes on a node. */
  default NodeCallType work() {
    return NodeCallType.GET;
  }

  /** The call, the same for every copy. */
  NodeCall<R> call();

  /** Whether a failure only means that the node does not have the copy any more, or not yet. */
  boolean isCopyMissing(Exception failure);

  void onReply(R reply, ReplyFrame frame);

  /**
   * All copies failed.
   *
   * @param last the most telling failure; null when there was no copy
   */
  void onCopiesExhausted(@Nullable Exception last);

  /** The read could not be sent. */
  void onFailure(Exception cause);
}
