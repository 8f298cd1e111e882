package dev.weir.core.coordinate;

import dev.weir.model.RequestContext;
import dev.weir.model.Shown;
import dev.weir.model.Trace;
import dev.weir.protocol.FrameBudget;
import dev.weir.protocol.NodeFailure;
import dev.weir.protocol.PendingCall;
import dev.weir.protocol.ReplyFrame;
import dev.weir.protocol.ReplyHandler;
import dev.weir.protocol.RequestFrames;
import dev.weir.routing.NodeLoads;
import org.jspecify.annotations.Nullable;

/**
 * One call on its way and its place in the node's load: passes the one outcome on, or is forgotten;
 * what an ejected node has got is then heard for that alone. Confined to the request's home.
 */
final class TrackedCall<R> implements ReplyHandler<R>, PendingCall, Runnable {
  /** Counts nothing: for a call that no node got. */
  static final NodeLoads.Outstanding UNCOUNTED =
      new NodeLoads.Outstanding() {
        @Override
        public void replied(int queueSize, long serviceTimeNanos) {}

        @Override
        public void answered() {}

        @Override
        public void failed(NodeLoads.Failure failure) {}

        @Override
        public void abandoned() {}
      };

  private static final int TOO_MANY_REQUESTS = 429;
  private static final int INTERNAL_SERVER_ERROR = 500;
  private static final int SERVICE_UNAVAILABLE = 503;

  private final NodeLoads.Outstanding outstanding;
  private final InLane lane;
  private final Trace.Call span;
  private final RequestContext context;

  // Until it is over: the request's list of what a cancellation runs keeps it for as long as any
  // call of the request is out, which must not keep all that these lead to.
  private NodeSender.@Nullable Piggyback<R> piggyback;
  private @Nullable ReplyHandler<R> handler;
  private @Nullable PendingCall pending;

  private boolean over;

  /** Nobody waits for it; it is heard to learn of its node. */
  private boolean left;

  TrackedCall(
      NodeLoads.Outstanding outstanding,
      InLane lane,
      Trace.Call span,
      RequestContext context,
      NodeSender.@Nullable Piggyback<R> piggyback,
      ReplyHandler<R> handler) {
    this.outstanding = outstanding;
    this.lane = lane;
    this.span = span;
    this.context = context;
    this.piggyback = piggyback;
    this.handler = handler;
  }

  /** The call's place in the node's load. */
  NodeLoads.Outstanding outstanding() {
    return outstanding;
  }

  /** Keeps the transport's side of the call, to forget it there too. */
  void sent(PendingCall call) {
    pending = call;
  }

  @Override
  public void onReply(R reply, ReplyFrame frame) {
    if (over) {
      return;
    }
    NodeSender.Piggyback<R> told = piggyback;
    ReplyHandler<R> waiting = end();
    int queue = told == null ? -1 : told.queueSize(reply);
    outstanding.replied(queue, told == null ? -1 : told.serviceTimeNanos(reply));
    lane.answered(queue);
    span.answered();
    if (waiting != null) {
      context.addResponseHeaders(frame.responseHeaders());
      context.run(() -> waiting.onReply(reply, frame));
    }
  }

  @Override
  public void onFailure(NodeFailure failure) {
    if (over) {
      return;
    }
    ReplyHandler<R> waiting = end();
    account(failure);
    lane.failed(failure);
    if (context.trace().recorded()) {
      span.failed(kind(failure), String.valueOf(failure.getMessage()));
    }
    if (waiting != null) {
      context.run(() -> waiting.onFailure(failure));
    }
  }

  /** It has its outcome, or is forgotten; who waits for it, if anybody. */
  private @Nullable ReplyHandler<R> end() {
    ReplyHandler<R> waiting = handler;
    over = true;
    handler = null;
    piggyback = null;
    pending = null;
    return waiting;
  }

  @Override
  public @Nullable FrameBudget budget() {
    return RequestFrames.of(context.memory());
  }

  @Override
  public boolean forget() {
    if (over || left) {
      return false;
    }
    span.forgotten();
    if (triesItsNode()) {
      left = true;
      handler = null;
      return true;
    }
    PendingCall sent = pending;
    end();
    if (sent != null) {
      sent.forget();
    }
    outstanding.abandoned();
    lane.abandoned();
    return true;
  }

  /**
   * Whether it tells of an ejected node, and its node may have it. What still waits for a
   * connection is forgotten like any other: it would be written when its request has ended, from
   * bytes that may be another's by then.
   */
  private boolean triesItsNode() {
    return outstanding.trial() == NodeLoads.Trial.EJECTED && pending != null && pending.written();
  }

  /** Forgets the call because its request was cancelled. */
  @Override
  public void run() {
    forget();
  }

  private void account(NodeFailure failure) {
    switch (failure.kind()) {
      case CONNECTION_LOST -> outstanding.failed(NodeLoads.Failure.UNREACHABLE);
      case TIMED_OUT -> outstanding.failed(NodeLoads.Failure.TIMEOUT);
      case MALFORMED -> outstanding.failed(NodeLoads.Failure.ERROR);
      case OVER_BUDGET -> outstanding.answered(); // it came, and was not read
      case NOT_SENT ->
          outstanding.failed(
              failure.status() == TOO_MANY_REQUESTS
                  ? NodeLoads.Failure.REJECTED
                  : NodeLoads.Failure.UNREACHABLE);
      case REMOTE -> remote(failure);
    }
  }

  private static String kind(NodeFailure failure) {
    return failure.kind() == NodeFailure.Kind.REMOTE
        ? Integer.toString(failure.status())
        : Shown.word(failure.kind());
  }

  /**
   * An error answer: a 4xx is the request's fault, a 503 tells of one shard, not the node, and a
   * task that was cancelled was to end so.
   */
  private void remote(NodeFailure failure) {
    int status = failure.status();
    if (failure.cancelled()) {
      outstanding.answered();
    } else if (status == TOO_MANY_REQUESTS) {
      outstanding.failed(NodeLoads.Failure.REJECTED);
    } else if (status >= INTERNAL_SERVER_ERROR && status != SERVICE_UNAVAILABLE) {
      outstanding.failed(NodeLoads.Failure.ERROR);
    } else {
      outstanding.answered();
    }
  }
}
