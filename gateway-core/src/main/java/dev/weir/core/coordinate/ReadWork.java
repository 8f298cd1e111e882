package dev.weir.core.coordinate;

import dev.weir.cluster.ClusterView;
import dev.weir.model.NodeCallType;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.ReplyFrame;
import org.jspecify.annotations.Nullable;

/** One read of one shard, opaque to the state machine. Called on the request's home. */
public interface ReadWork<R> {
  /** How it can be carried out. */
  ReadPlan plan(ClusterView view);

  /** What the call asks of a node. */
  default NodeCallType work() {
    return NodeCallType.GET;
  }

  /** The call, the same for every copy. */
  NodeCall<R> call();

  /** Whether a failure only says that the copy is not there (any more), or not yet. */
  boolean isCopyMissing(Exception failure);

  /** A copy answered. */
  void onReply(R reply, ReplyFrame frame);

  /**
   * No copy answered.
   *
   * @param last the failure that says most; null when there was no copy to ask
   */
  void onCopiesExhausted(@Nullable Exception last);

  /** It was not possible to ask. */
  void onFailure(Exception why);
}
