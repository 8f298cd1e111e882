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
 * What one small bulk has for one shard, until it hears of its outcome or nobody waits for that any
 * more. Confined to its request's event loop.
 */
final class MergeablePart implements PendingCall, Runnable {
  private final BulkShardRequest request;
  private final long bytes;
  private final PendingSend<BulkShardResponse> send;
  private @Nullable Holder holder;
  private boolean finished;

  /** What is asked of a sender. */
  record PendingSend<R>(
      NodeCall<R> call,
      RequestContext context,
      NodeSender.@Nullable LoadFeedback<R> piggyback,
      ReplyHandler<R> handler) {}

  /** Where a part is until it is over. */
  interface Holder {
    /** Nobody waits for the part any more. */
    void onCancelled(MergeablePart part);
  }

  /**
   * Makes a part that is nowhere yet.
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

  NodeSender.@Nullable LoadFeedback<BulkShardResponse> piggyback() {
    return send.piggyback();
  }

  ReplyHandler<BulkShardResponse> handler() {
    return send.handler();
  }

  /** It is somewhere else from now on. */
  void moveTo(Holder next) {
    holder = next;
  }

  /** Whether it hears nothing more. */
  boolean isFinished() {
    return finished;
  }

  /** Its handler is about to be told. */
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
