package dev.weir.core.actions.merge;

import dev.weir.core.coordinate.NodeSender;
import dev.weir.model.RequestContext;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.PendingCall;
import dev.weir.protocol.ReplyHandler;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.bulk.BulkItemRequest;
import org.opensearch.action.bulk.BulkShardRequest;
import org.opensearch.action.bulk.BulkShardResponse;

/**
 * The documents of one small bulk for one shard, until their outcome is known or the request was
 * cancelled. Confined to its request's event loop.
 */
final class MergeablePart implements PendingCall, Runnable {
  private final BulkShardRequest request;
  private final long bytes;
  private final PendingSend<BulkShardResponse> send;
  private @Nullable Holder holder;
  private boolean finished;

  /** The arguments of a send. */
  record PendingSend<R>(
      NodeCall<R> call,
      RequestContext context,
      NodeSender.@Nullable LoadFeedback<R> loadFeedback,
      ReplyHandler<R> handler) {}

  /** The current holder of a part: a batch or a call. */
  interface Holder {
    /** The part's request was cancelled. */
    void onCancelled(MergeablePart part);
  }

  /**
   * Creates a part without a holder.
   *
   * @param bytes of its documents
   */
  MergeablePart(BulkShardRequest request, long bytes, PendingSend<BulkShardResponse> pendingSend) {
    this.request = request;
    this.bytes = bytes;
    this.send = pendingSend;
  }

  BulkShardRequest request() {
    return request;
  }

  BulkItemRequest[] items() {
    return request.items();
  }

  long bytes() {
    return bytes;
  }

  NodeCall<BulkShardResponse> call() {
    return send.call();
  }

  RequestContext context() {
    return send.context();
  }

  NodeSender.@Nullable LoadFeedback<BulkShardResponse> loadFeedback() {
    return send.loadFeedback();
  }

  ReplyHandler<BulkShardResponse> handler() {
    return send.handler();
  }

  /** Moves the part to another holder. */
  void moveTo(Holder next) {
    holder = next;
  }

  /** Returns whether the part has its outcome. */
  boolean isFinished() {
    return finished;
  }

  /** Marks the part as finished, right before its handler is called. */
  void finish() {
    finished = true;
    holder = null;
  }

  @Override
  public boolean abandon() {
    Holder last = holder;
    if (finished || last == null) {
      return false;
    }
    finish();
    last.onCancelled(this);
    return true;
  }

  /** Its request was cancelled. */
  @Override
  public void run() {
    abandon();
  }
}
