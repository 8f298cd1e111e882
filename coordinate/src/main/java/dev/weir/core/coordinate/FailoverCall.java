package dev.weir.core.coordinate;

import dev.weir.model.RequestContext;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.ReplyFrame;
import java.util.Iterator;
import java.util.List;

/**
 * Sends a read that any node can carry out as a whole to one node, and to the next one while its
 * work asks for that. A request that is cancelled cancels the task on the node. Such a call tells
 * nothing about the node's shards, so it does not count as their load. Confined to the request's
 * event loop.
 */
public final class FailoverCall<R> implements OutstandingCalls.CallListener<R> {
  private final Iterator<String> nodeIds;
  private final Work<R> work;
  private final RequestContext context;
  private final OutstandingCalls calls;
  private final SearchCancellation cancellation;
  private final DelayScheduler.CancellableAction cancelCallback;

  /** What is sent, and what hears the one outcome. */
  public interface Work<R> extends CancellableWork {
    /** Builds the call of an attempt. */
    NodeCall<R> createCall(String nodeId);

    /** An attempt failed. Returns whether another node shall try. */
    boolean shouldTryNext(NodeCallException failure);

    /** A node answered. */
    void onReply(R reply, ReplyFrame frame);

    /** The last attempt failed; a {@link NodeCallException} if it was sent or should have been. */
    void onFailure(Exception failure);
  }

  private FailoverCall(
      CoordinationServices services, List<String> nodeIds, Work<R> work, RequestContext context) {
    this.nodeIds = nodeIds.iterator();
    this.work = work;
    this.context = context;
    this.calls = new OutstandingCalls(services, context);
    SearchCancellation cancelling = new SearchCancellation(calls, services.scheduler());
    this.cancellation = cancelling;
    this.cancelCallback =
        new DelayScheduler.CancellableAction(
            () -> cancelling.cancel(String.valueOf(context.cancelReason())));
  }

  /**
   * Sends the first attempt.
   *
   * @param nodeIds in the order in which they are tried; at least one
   */
  public static <R> void start(
      CoordinationServices services, List<String> nodeIds, Work<R> work, RequestContext context) {
    FailoverCall<R> call = new FailoverCall<>(services, nodeIds, work, context);
    call.cancellation.setWork(work);
    context.onCancel(call.cancelCallback);
    call.sendNext();
  }

  private void sendNext() {
    Exception refused = cancellation.checkCancelled();
    if (refused != null) {
      finish();
      work.onFailure(refused);
      return;
    }
    String nodeId = nodeIds.next();
    calls.sendUntracked(nodeId, work.createCall(nodeId), this);
  }

  @Override
  public void onReply(R reply, ReplyFrame frame) {
    finish();
    work.onReply(reply, frame);
  }

  @Override
  public void onFailure(Exception failure) {
    if (failure instanceof NodeCallException call
        && work.shouldTryNext(call)
        && nodeIds.hasNext()) {
      sendNext();
    } else {
      finish();
      work.onFailure(failure);
    }
  }

  private void finish() {
    cancellation.end();
    cancelCallback.cancel();
    context.response().addHeaders(calls.responseHeaders());
  }
}
