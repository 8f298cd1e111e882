package dev.weir.core.actions.merge;

import dev.weir.model.Work;
import dev.weir.protocol.NodeFailure;
import dev.weir.protocol.PendingCall;
import dev.weir.protocol.ReplyFrame;
import dev.weir.protocol.ReplyHandler;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.bulk.BulkShardResponse;

/** A part that goes by itself, as it would without others. Confined to its request's home. */
final class Solo implements ReplyHandler<BulkShardResponse>, Part.Place {
  private final Lane lane;
  private final Part part;
  private @Nullable PendingCall pending;

  Solo(Lane lane, Part part) {
    this.lane = lane;
    this.part = part;
  }

  void send() {
    part.at(this);
    lane.began();
    pending =
        lane.sender()
            .send(
                lane.nodeId(),
                Work.writing(part.items().length),
                part.call(),
                part.context(),
                part.piggyback(),
                this);
  }

  @Override
  public void left(Part gone) {
    lane.ended();
    if (pending != null) {
      pending.forget();
    }
  }

  @Override
  public void onReply(BulkShardResponse reply, ReplyFrame frame) {
    if (ends()) {
      part.handler().onReply(reply, frame);
    }
  }

  @Override
  public void onFailure(NodeFailure failure) {
    if (ends()) {
      part.handler().onFailure(failure);
    }
  }

  private boolean ends() {
    if (part.isOver()) {
      return false;
    }
    part.ends();
    lane.ended();
    return true;
  }
}
