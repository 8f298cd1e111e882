package dev.weir.protocol;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One call from {@code send} to its outcome. Lives on its lane's event loop: waiting for a channel,
 * then in flight on one, then settled; the outcome is told on the caller's home. Only forgetting is
 * open to any thread.
 */
final class ActiveCall<R> extends TimeoutWheel.Timeout implements PendingCall, Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(ActiveCall.class);
  private static final VarHandle STATE;

  static {
    try {
      STATE = MethodHandles.lookup().findVarHandle(ActiveCall.class, "state", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private static final int WAITING = 0;
  private static final int COMPLETED = 1;
  private static final int ABANDONED = 2;

  private final NodeCall<R> request;
  private final Executor callerExecutor;
  private final ReplyHandler<R> handler;
  private final CallDispatcher dispatcher;

  @SuppressWarnings("unused") // through STATE
  private volatile int state;

  /** Written on the lane's loop. */
  private volatile @Nullable NodeChannel channel;

  // Confined to the lane's loop.
  private long id;
  private long startNanos;

  // Written on the lane's loop, read at home, ordered by the hop between.
  private boolean completed;
  private @Nullable R reply;
  private @Nullable Frame frame;
  private @Nullable NodeCallException failure;

  ActiveCall(NodeCall<R> request, Executor home, ReplyHandler<R> handler, CallDispatcher lane) {
    this.request = request;
    this.callerExecutor = home;
    this.handler = handler;
    this.dispatcher = lane;
  }

  NodeCall<R> request() {
    return request;
  }

  String action() {
    return request.action();
  }

  /** The request's memory that is charged for the answer; null for none. */
  @Nullable FrameBudget budget() {
    return handler.budget();
  }

  boolean isAbandoned() {
    return state == ABANDONED;
  }

  /** The channel it is in flight on; null while it waits for one. */
  @Nullable NodeChannel channel() {
    return channel;
  }

  long id() {
    return id;
  }

  /** When its lane took it, by the loop's ticker. */
  long startNanos() {
    return startNanos;
  }

  void markStarted(long nanos) {
    startNanos = nanos;
  }

  void markInFlight(NodeChannel on, long requestId) {
    id = requestId;
    channel = on;
  }

  @Override
  public boolean isWritten() {
    return channel != null;
  }

  /** The node's answer; delivered when the call succeeds. */
  void setReply(R value) {
    reply = value;
  }

  /** The answer was read; one reference on its frame is given over. */
  void succeed(Frame read) {
    frame = read;
    complete(isOnCallerExecutor());
  }

  /** The call failed. On the loop, but never from within {@code send}. */
  void fail(NodeCallException why) {
    failure = why;
    complete(isOnCallerExecutor());
  }

  /** The call failed while it was sent: the failure is delivered later even on its own loop. */
  void failLater(NodeCallException why) {
    failure = why;
    complete(false);
  }

  @SuppressWarnings("ReferenceEquality") // a loop is itself only
  private boolean isOnCallerExecutor() {
    return dispatcher.loop() == callerExecutor;
  }

  private void complete(boolean now) {
    completed = true;
    if (now) {
      notifyHandler();
      return;
    }
    try {
      callerExecutor.execute(this);
    } catch (RejectedExecutionException e) {
      LOG.debug("event loop of a call to [{}] is shut down: completed in place", action());
      notifyHandler();
    }
  }

  /** Runs twice at most: on the lane's loop to be sent, and at home to tell the outcome. */
  @Override
  public void run() {
    if (completed) {
      notifyHandler();
    } else {
      dispatcher.send(this);
    }
  }

  private void notifyHandler() {
    Frame held = frame;
    R answer = reply;
    frame = null;
    reply = null;
    try {
      if (STATE.compareAndSet(this, WAITING, COMPLETED)) {
        NodeCallException why = failure;
        if (why != null) {
          handler.onFailure(why);
        } else {
          handler.onReply(asRead(answer), Objects.requireNonNull(held));
        }
      }
    } catch (Throwable e) { // an Error too: it must not close the channel under everybody else
      LOG.error("a reply handler of [{}] threw", action(), e);
    } finally {
      if (held != null) {
        held.release();
      }
    }
  }

  /** A reader may return null to callers that asked for it. */
  @SuppressWarnings("NullAway")
  private static <T> T asRead(@Nullable T value) {
    return value;
  }

  @Override
  public boolean abandon() {
    if (!STATE.compareAndSet(this, WAITING, ABANDONED)) {
      return false;
    }
    if (dispatcher.loop().inEventLoop()) {
      dispatcher.abandon(this);
    } else {
      try {
        dispatcher.loop().execute(() -> dispatcher.abandon(this));
      } catch (RejectedExecutionException e) {
        LOG.debug("forgot a call to [{}] on a loop that is shut down", action());
      }
    }
    return true;
  }

  @Override
  void onTimeout() {
    dispatcher.onTimeout(this);
  }
}
