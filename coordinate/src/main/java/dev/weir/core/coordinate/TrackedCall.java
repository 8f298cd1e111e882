package dev.weir.core.coordinate;

import dev.weir.core.coordinate.load.NodeLoadReports;
import dev.weir.core.coordinate.slot.ConcurrencySlot;
import dev.weir.model.DisplayFormat;
import dev.weir.model.HttpStatus;
import dev.weir.model.RequestContext;
import dev.weir.model.RequestTrace;
import dev.weir.protocol.FrameBudget;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.NodeLoadReport;
import dev.weir.protocol.PendingCall;
import dev.weir.protocol.ReplyFrame;
import dev.weir.protocol.ReplyHandler;
import dev.weir.protocol.RequestFrameBudget;
import dev.weir.routing.NodeLoadRecorder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One call in flight and its entry in the node's load: passes the one outcome on, or is forgotten.
 * A forgotten call to an ejected node is still followed, only to learn about the node. Confined to
 * the request's event loop.
 */
final class TrackedCall<R> implements ReplyHandler<R>, NodeSender.QueuedCall, Runnable {
  /** Counts nothing: for a call that was not sent. */
  static final NodeLoadRecorder.OutstandingRequest UNCOUNTED =
      new NodeLoadRecorder.OutstandingRequest() {
        @Override
        public void onResponse(int queueSize, long serviceTimeNanos) {}

        @Override
        public void onResponseWithoutStats() {}

        @Override
        public void onFailure(NodeLoadRecorder.Failure failure) {}

        @Override
        public void onAbandon() {}
      };

  private NodeLoadRecorder.OutstandingRequest outstanding = UNCOUNTED;
  private ConcurrencySlot concurrencySlot = ConcurrencySlot.UNCOUNTED;
  private final RequestTrace.CallSpan span;
  private final RequestContext context;

  // Cleared at the end: the request's list of cancel actions keeps this object as long as any
  // call of the request is in flight, and must not keep everything that these fields refer to.
  private NodeSender.@Nullable LoadFeedback<R> loadFeedback;
  private @Nullable ReplyHandler<R> handler;
  private @Nullable PendingCall transportCall;

  /** Counts a call that waits on its node when it begins; null otherwise. */
  private @Nullable Supplier<Count> counter;

  /** Set when the call begins; read on the channel's event loop, too. */
  private volatile NodeLoadReports.@Nullable Inbox inbox;

  private boolean ended;

  /** Whether the outcome is read only to learn about the node. */
  private boolean abandoned;

  /**
   * Where a call counts.
   *
   * @param inbox takes the node's report of its load; null for a node that reports none
   */
  record Count(
      NodeLoadRecorder.OutstandingRequest outstanding,
      ConcurrencySlot slot,
      NodeLoadReports.@Nullable Inbox inbox) {}

  /** Counts nowhere yet. */
  TrackedCall(
      RequestTrace.CallSpan span,
      RequestContext context,
      NodeSender.@Nullable LoadFeedback<R> loadFeedback,
      ReplyHandler<R> handler) {
    this.span = span;
    this.context = context;
    this.loadFeedback = loadFeedback;
    this.handler = handler;
  }

  /** The call's entry in the node's load. */
  NodeLoadRecorder.OutstandingRequest outstanding() {
    return outstanding;
  }

  /** Sets what counts the call when it begins. */
  void countBy(Supplier<Count> counting) {
    counter = counting;
  }

  /** Sets where the call counts from now on. */
  void count(Count count) {
    outstanding = count.outstanding();
    concurrencySlot = count.slot();
    inbox = count.inbox();
  }

  @Override
  public void begin() {
    Supplier<Count> counting = counter;
    counter = null;
    if (counting != null && !ended) {
      count(counting.get());
    }
  }

  @Override
  public boolean wantsLoadReport() {
    return inbox != null;
  }

  @Override
  public boolean isResultUsed() {
    ReplyHandler<R> waiting = handler;
    return waiting != null && waiting.isResultUsed();
  }

  /** Sets the transport's side of the call, which a cancellation forgets too. */
  void setTransportCall(PendingCall call) {
    transportCall = call;
  }

  @Override
  public void onReply(R reply, ReplyFrame frame) {
    if (ended) {
      return;
    }
    NodeSender.LoadFeedback<R> feedback = loadFeedback;
    ReplyHandler<R> waiting = end();
    int queue = feedback == null ? -1 : feedback.queueSize(reply);
    long service = feedback == null ? -1 : feedback.serviceTimeNanos(reply);
    NodeLoadReport report = frame.loadReport();
    NodeLoadReports.Inbox reports = inbox;
    if (report != null && reports != null) {
      reports.record(report);
      queue = reports.queueSize(queue, report);
      service = reports.serviceNanos(service, report);
    }
    outstanding.onResponse(queue, service);
    concurrencySlot.onReply(queue);
    span.onResponse();
    if (waiting != null) {
      context.response().addHeaders(frame.responseHeaders());
      context.run(() -> waiting.onReply(reply, frame));
    }
  }

  @Override
  public void onFailure(NodeCallException failure) {
    if (ended) {
      return;
    }
    ReplyHandler<R> waiting = end();
    recordFailure(failure);
    concurrencySlot.onFailure(failure);
    if (context.resources().trace().isRecording()) {
      span.onFailure(kind(failure), String.valueOf(failure.getMessage()));
    }
    if (waiting != null) {
      context.run(() -> waiting.onFailure(failure));
    }
  }

  /** Ends the call; returns the handler that waits for its outcome, null for none. */
  private @Nullable ReplyHandler<R> end() {
    ReplyHandler<R> waiting = handler;
    ended = true;
    handler = null;
    loadFeedback = null;
    transportCall = null;
    return waiting;
  }

  @Override
  public @Nullable FrameBudget budget() {
    return RequestFrameBudget.of(context.resources().memory());
  }

  @Override
  public boolean abandon() {
    if (ended || abandoned) {
      return false;
    }
    span.onAbandoned();
    if (isEjectionProbe()) {
      abandoned = true;
      handler = null;
      return true;
    }
    PendingCall sent = transportCall;
    end();
    if (sent != null) {
      sent.abandon();
    }
    outstanding.onAbandon();
    concurrencySlot.onAbandoned();
    return true;
  }

  @Override
  public boolean isWritten() {
    PendingCall sent = transportCall;
    return sent != null && sent.isWritten();
  }

  /**
   * Whether the call probes an ejected node and the node may have received it. A call that still
   * waits for a connection is forgotten like any other: it would be written after its request has
   * ended, from a buffer that may be reused by then.
   */
  private boolean isEjectionProbe() {
    return outstanding.trialReason() == NodeLoadRecorder.TrialReason.EJECTION_PROBE && isWritten();
  }

  /** Forgets the call because its request was cancelled. */
  @Override
  public void run() {
    abandon();
  }

  private void recordFailure(NodeCallException failure) {
    switch (failure.kind()) {
      case CONNECTION_LOST -> outstanding.onFailure(NodeLoadRecorder.Failure.UNREACHABLE);
      case TIMED_OUT -> outstanding.onFailure(NodeLoadRecorder.Failure.TIMEOUT);
      case MALFORMED -> outstanding.onFailure(NodeLoadRecorder.Failure.ERROR);
      case OVER_BUDGET -> outstanding.onResponseWithoutStats(); // the reply came and was not read
      case NOT_SENT -> {
        if (failure.isBeyondSharedBound()) {
          outstanding.onAbandon();
        } else {
          outstanding.onFailure(
              failure.status() == HttpStatus.TOO_MANY_REQUESTS
                  ? NodeLoadRecorder.Failure.REJECTED
                  : NodeLoadRecorder.Failure.UNREACHABLE);
        }
      }
      case REMOTE -> recordErrorResponse(failure);
    }
  }

  private static String kind(NodeCallException failure) {
    return failure.kind() == NodeCallException.Kind.REMOTE
        ? Integer.toString(failure.status())
        : DisplayFormat.toKebabCase(failure.kind());
  }

  /**
   * Records an error response: a 4xx and a search over its ceiling are the request's fault, a 503
   * is about one shard, not the node, and a cancelled task ends as intended.
   */
  private void recordErrorResponse(NodeCallException failure) {
    int status = failure.status();
    if (failure.isCancelled() || failure.isOverRequestCeiling()) {
      outstanding.onResponseWithoutStats();
    } else if (status == HttpStatus.TOO_MANY_REQUESTS) {
      outstanding.onFailure(NodeLoadRecorder.Failure.REJECTED);
    } else if (status >= HttpStatus.INTERNAL_SERVER_ERROR
        && status != HttpStatus.SERVICE_UNAVAILABLE) {
      outstanding.onFailure(NodeLoadRecorder.Failure.ERROR);
    } else {
      outstanding.onResponseWithoutStats();
    }
  }
}
