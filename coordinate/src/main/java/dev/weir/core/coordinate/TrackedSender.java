package dev.weir.core.coordinate;

import dev.weir.admission.queue.NodeConcurrencyLimiters;
import dev.weir.cluster.capability.Capability;
import dev.weir.cluster.capability.NodeCapabilities;
import dev.weir.core.coordinate.batch.ShardBatches;
import dev.weir.core.coordinate.load.NodeLoadReports;
import dev.weir.core.coordinate.slot.ConcurrencySlot;
import dev.weir.core.coordinate.slot.TenantAccounting;
import dev.weir.model.NodeCallType;
import dev.weir.model.RequestContext;
import dev.weir.model.RequestTrace;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.NodeClient;
import dev.weir.protocol.NodeClients;
import dev.weir.protocol.PendingCall;
import dev.weir.protocol.ReplyHandler;
import dev.weir.routing.NodeLoadRecorder;
import org.jspecify.annotations.Nullable;

/**
 * Finds a node's client, counts the call as outstanding on the node until its one outcome, and
 * forgets it when its request is cancelled. Safe on any thread; a call belongs to its request's
 * event loop.
 */
public final class TrackedSender implements NodeSender {
  private final NodeClients clients;
  private final NodeLoadRecorder loads;
  private final NodeConcurrencyLimiters lanes;
  private final TenantAccounting accounting;
  private final NodeLoadReports reports;
  private final NodeCapabilities capabilities;
  private final @Nullable ShardBatches batches;

  /** Whether calls count only once they begin. */
  private final boolean isQueuing;

  /**
   * Sends through the known nodes' clients.
   *
   * @param lanes count the calls in flight to each node
   * @param accounting learns how long each of them takes
   * @param reports keeps what nodes report of their load
   * @param capabilities says which nodes take several calls in one message
   */
  public TrackedSender(
      NodeClients clients,
      NodeLoadRecorder loads,
      NodeConcurrencyLimiters lanes,
      TenantAccounting accounting,
      NodeLoadReports reports,
      NodeCapabilities capabilities) {
    this.clients = clients;
    this.loads = loads;
    this.lanes = lanes;
    this.accounting = accounting;
    this.reports = reports;
    this.capabilities = capabilities;
    this.batches = null;
    this.isQueuing = false;
  }

  /** Sends as another sender does, but collects calls. */
  private TrackedSender(TrackedSender like, ShardBatches batches, boolean isQueuing) {
    this.clients = like.clients;
    this.loads = like.loads;
    this.lanes = like.lanes;
    this.accounting = like.accounting;
    this.reports = like.reports;
    this.capabilities = like.capabilities;
    this.batches = batches;
    this.isQueuing = isQueuing;
  }

  @Override
  public CallBatch startBatch(int maxRunning) {
    if (!capabilities.isOnAnyNode(Capability.SHARD_BATCHES)
        && !capabilities.isOnAnyNode(Capability.BULK_BATCHES)) {
      return NodeSender.super.startBatch(maxRunning);
    }
    ShardBatches started = new ShardBatches(capabilities, maxRunning);
    return new CallBatch(
        new TrackedSender(this, started, false),
        new TrackedSender(this, started, true),
        started::hasRoom,
        started::flush);
  }

  /**
   * {@inheritDoc}
   *
   * <p>The handler is never called before this method returns. After the context was cancelled
   * nothing is sent and the handler hears nothing: calls that must still be sent then (freeing
   * search contexts, cancelling tasks) need a context of their own.
   */
  @Override
  public <R> PendingCall send(
      String nodeId,
      NodeCallType work,
      NodeCall<R> call,
      RequestContext context,
      @Nullable LoadFeedback<R> loadFeedback,
      ReplyHandler<R> handler) {
    if (context.cancelReason() != null) {
      return () -> false;
    }
    NodeClient client = clients.byId(nodeId);
    RequestTrace.CallSpan span = startSpan(client, work, call, context);
    TrackedCall<R> tracked = new TrackedCall<>(span, context, loadFeedback, handler);
    if (client != null) {
      if (isQueuing) {
        tracked.countBy(() -> count(nodeId, work, context));
      } else {
        tracked.count(count(nodeId, work, context));
      }
    }
    return dispatch(nodeId, client, call, context, tracked);
  }

  private TrackedCall.Count count(String nodeId, NodeCallType work, RequestContext context) {
    return new TrackedCall.Count(
        loads.startRequest(nodeId, work.phase(), work.costClass()),
        ConcurrencySlot.acquire(lanes, accounting, nodeId, work, context),
        reports.inbox(nodeId, work.phase()));
  }

  @Override
  public <R> PendingCall sendUntracked(
      String nodeId, NodeCall<R> call, RequestContext context, ReplyHandler<R> handler) {
    if (context.cancelReason() != null) {
      return () -> false;
    }
    NodeClient client = clients.byId(nodeId);
    if (handler.isReplyIgnored()) {
      return client == null ? () -> false : transmit(client, call, context, handler);
    }
    RequestTrace.CallSpan span = startSpan(client, null, call, context);
    TrackedCall<R> tracked = new TrackedCall<>(span, context, null, handler);
    return dispatch(nodeId, client, call, context, tracked);
  }

  private static RequestTrace.CallSpan startSpan(
      @Nullable NodeClient client,
      @Nullable NodeCallType work,
      NodeCall<?> call,
      RequestContext context) {
    RequestTrace trace = context.resources().trace();
    return client != null && trace.isRecording()
        ? trace.startCall(call.action(), work, client.endpoint())
        : RequestTrace.CallSpan.NONE;
  }

  private <R> PendingCall dispatch(
      String nodeId,
      @Nullable NodeClient client,
      NodeCall<R> call,
      RequestContext context,
      TrackedCall<R> tracked) {
    if (client == null) {
      context.eventLoop().execute(() -> tracked.onFailure(NodeCallException.unknownNode(nodeId)));
    } else {
      tracked.setTransportCall(transmit(client, call, context, tracked));
    }
    context.onCancel(tracked);
    return tracked;
  }

  private <R> PendingCall transmit(
      NodeClient client, NodeCall<R> call, RequestContext context, ReplyHandler<R> handler) {
    return batches == null
        ? client.send(call, context.eventLoop(), handler)
        : batches.send(client, call, context.eventLoop(), handler);
  }
}
