package dev.weir.core.coordinate;

import dev.weir.admission.queue.NodeLanes;
import dev.weir.model.RequestContext;
import dev.weir.model.Trace;
import dev.weir.model.Work;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeClient;
import dev.weir.protocol.NodeClients;
import dev.weir.protocol.NodeFailure;
import dev.weir.protocol.PendingCall;
import dev.weir.protocol.ReplyHandler;
import dev.weir.routing.NodeLoads;
import org.jspecify.annotations.Nullable;

/**
 * The sender that finds a node's client, counts the call as outstanding on the node until its one
 * outcome, and forgets it when its request is cancelled. Safe on any thread; a call belongs to its
 * request's home.
 */
public final class TrackedSender implements NodeSender {
  private final NodeClients clients;
  private final NodeLoads loads;
  private final NodeLanes lanes;

  /**
   * Makes a sender over the known nodes' clients.
   *
   * @param lanes where what each node has at once is counted
   */
  public TrackedSender(NodeClients clients, NodeLoads loads, NodeLanes lanes) {
    this.clients = clients;
    this.loads = loads;
    this.lanes = lanes;
  }

  /**
   * {@inheritDoc}
   *
   * <p>The handler is never called before this method returns. After the context was cancelled
   * nothing is sent and the handler hears nothing: what must still be sent then (freeing search
   * contexts, cancelling tasks) needs a context of its own.
   */
  @Override
  public <R> PendingCall send(
      String nodeId,
      Work work,
      NodeCall<R> call,
      RequestContext context,
      @Nullable Piggyback<R> piggyback,
      ReplyHandler<R> handler) {
    if (context.cancelReason() != null) {
      return () -> false;
    }
    NodeClient client = clients.byId(nodeId);
    NodeLoads.Outstanding outstanding =
        client == null
            ? TrackedCall.UNCOUNTED
            : loads.begin(nodeId, work.phase(), work.costClass());
    InLane lane = client == null ? InLane.NONE : InLane.begin(lanes, nodeId, work);
    Trace.Call span =
        client != null && context.trace().recorded()
            ? context.trace().call(call.action(), work, client.endpoint())
            : Trace.Call.NONE;
    TrackedCall<R> tracked =
        new TrackedCall<>(outstanding, lane, span, context, piggyback, handler);
    return dispatch(nodeId, client, call, context, tracked);
  }

  @Override
  public <R> PendingCall sendAside(
      String nodeId, NodeCall<R> call, RequestContext context, ReplyHandler<R> handler) {
    if (context.cancelReason() != null) {
      return () -> false;
    }
    TrackedCall<R> tracked =
        new TrackedCall<>(
            TrackedCall.UNCOUNTED, InLane.NONE, Trace.Call.NONE, context, null, handler);
    return dispatch(nodeId, clients.byId(nodeId), call, context, tracked);
  }

  private static <R> PendingCall dispatch(
      String nodeId,
      @Nullable NodeClient client,
      NodeCall<R> call,
      RequestContext context,
      TrackedCall<R> tracked) {
    if (client == null) {
      context.home().execute(() -> tracked.onFailure(NodeFailure.unknownNode(nodeId)));
    } else {
      tracked.sent(client.send(call, context.home(), tracked));
    }
    context.onCancel(tracked);
    return tracked;
  }
}
