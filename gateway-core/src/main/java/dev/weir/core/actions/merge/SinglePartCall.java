package dev.weir.core.actions.merge;

import dev.weir.model.NodeCallType;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.PendingCall;
import dev.weir.protocol.ReplyFrame;
import dev.weir.protocol.ReplyHandler;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.bulk.BulkShardResponse;

/** A part that is sent alone. Confined to its request's event loop. */
final class SinglePartCall implements ReplyHandler<BulkShardResponse>, MergeablePart.Holder {
  private final MergeServices queue;
  private final MergeablePart part;
  private @Nullable PendingCall pending;

  SinglePartCall(MergeServices queue, MergeablePart part) {
    this.queue = queue;
    this.part = part;
  }

  void send() {
    part.moveTo(this);
    queue.onCallStarted();
    pending =
        queue
            .sender()
            .send(
                queue.nodeId(),
                NodeCallType.forWrite(part.items().length),
                part.call(),
                part.context(),
                part.loadFeedback(),
                this);
  }

  @Override
  public void onCancelled(MergeablePart cancelled) {
    queue.onCallEnded();
    if (pending != null) {
      pending.abandon();
    }
  }

  @Override
  public void onReply(BulkShardResponse reply, ReplyFrame frame) {
    if (finish()) {
      part.handler().onReply(reply, frame);
    }
  }

  @Override
  public void onFailure(NodeCallException failure) {
    if (finish()) {
      part.handler().onFailure(failure);
    }
  }

  private boolean finish() {
    if (part.isFinished()) {
      return false;
    }
    part.finish();
    queue.onCallEnded();
    return true;
  }
}
