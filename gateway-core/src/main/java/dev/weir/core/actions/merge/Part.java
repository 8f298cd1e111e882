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
 * more. Confined to its request's home.
 */
final class Part implements PendingCall, Runnable {
  private final BulkShardRequest request;
  private final long bytes;
  private final Ask<BulkShardResponse> ask;
  private @Nullable Place place;
  private boolean over;

  /** What is asked of a sender. */
  record Ask<R>(
      NodeCall<R> call,
      RequestContext context,
      NodeSender.@Nullable Piggyback<R> piggyback,
      ReplyHandler<R> handler) {}

  /** Where a part is until it is over. */
  interface Place {
    /** Nobody waits for the part any more. */
    void left(Part part);
  }

  /**
   * Makes a part that is nowhere yet.
   *
   * @param bytes of its documents
   */
  Part(BulkShardRequest request, long bytes, Ask<BulkShardResponse> ask) {
    this.request = request;
    this.bytes = bytes;
    this.ask = ask;
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
    return ask.call();
  }

  RequestContext context() {
    return ask.context();
  }

  NodeSender.@Nullable Piggyback<BulkShardResponse> piggyback() {
    return ask.piggyback();
  }

  ReplyHandler<BulkShardResponse> handler() {
    return ask.handler();
  }

  /** It is somewhere else from now on. */
  void at(Place next) {
    place = next;
  }

  /** Whether it hears nothing more. */
  boolean isOver() {
    return over;
  }

  /** Its handler is about to be told. */
  void ends() {
    over = true;
    place = null;
  }

  @Override
  public boolean forget() {
    Place last = place;
    if (over || last == null) {
      return false;
    }
    ends();
    last.left(this);
    return true;
  }

  /** Its request was cancelled. */
  @Override
  public void run() {
    forget();
  }
}
