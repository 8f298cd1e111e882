package dev.weir.protocol;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One call from {@code send} to its response or failure. It belongs to its channel slot's event
 * loop: it waits for a channel, is in flight on one, and then completes. The handler runs on the
 * caller's executor. Only {@link #abandon} is safe on any thread.
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

  @SuppressWarnings("unused") // accessed through STATE
  private volatile int state;

  /** Written on the slot's event loop. */
  private volatile @Nullable InFlightCalls connection;

  // Confined to the slot's event loop.
  private long id;
  private long startNanos;

  // Written on the slot's event loop and read on the caller's executor; the task between orders
  // them.
  private boolean completed;
  private @Nullable R reply;
  private @Nullable Frame frame;
  private @Nullable Supplier<@Nullable NodeCallException> pendingRead;
  private @Nullable NodeCallException failure;

  ActiveCall(
      NodeCall<R> request,
      Executor callerExecutor,
      ReplyHandler<R> handler,
      CallDispatcher dispatcher) {
    this.request = request;
    this.callerExecutor = callerExecutor;
    this.handler = handler;
    this.dispatcher = dispatcher;
  }

  NodeCall<R> request() {
    return request;
  }

  String action() {
    return request.action();
  }

  /** Returns the budget of the request's memory for the response; null for none. */
  @Nullable FrameBudget budget() {
    return handler.budget();
  }

  /** Returns whether the request asks the node for its load. */
  boolean wantsLoadReport() {
    return handler.wantsLoadReport();
  }

  /** Returns whether the response may be skipped unread. */
  boolean isReplyIgnored() {
    return handler.isReplyIgnored();
  }

  /** Returns whether the request may wait for another one to the same node. */
  boolean isDeferrable() {
    return handler.isDeferrable();
  }

  /** Completes the call by a response that is skipped unread. */
  void skipReply() {
    STATE.compareAndSet(this, WAITING, COMPLETED);
  }

  boolean isAbandoned() {
    return state == ABANDONED;
  }

  /** Returns the connection of a call in flight; null while the call waits for one. */
  @Nullable InFlightCalls connection() {
    return connection;
  }

  long id() {
    return id;
  }

  /**
   * Returns the time at which the slot accepted a call with a timeout, by the event loop's ticker.
   */
  long startNanos() {
    return startNanos;
  }

  void markStarted(long nanos) {
    startNanos = nanos;
  }

  void markInFlight(InFlightCalls on, long requestId) {
    id = requestId;
    connection = on;
  }

  @Override
  public boolean isWritten() {
    return connection != null;
  }

  /** Sets the response; it is delivered when the call succeeds. */
  void setReply(R value) {
    reply = value;
  }

  /** Completes the call after its response was read; takes over one reference on the frame. */
  void succeed(Frame read) {
    frame = read;
    complete(isOnCallerExecutor());
  }

  /**
   * Completes the call on the caller's executor, which reads the response first; takes over one
   * reference on the frame.
   *
   * @param read sets the reply; returns the call's failure, or null
   */
  void readLater(Frame received, Supplier<@Nullable NodeCallException> read) {
    frame = received;
    pendingRead = read;
    complete(false);
  }

  /** Fails the call. Called on the event loop, but never from within {@code send}. */
  void fail(NodeCallException exception) {
    failure = exception;
    complete(isOnCallerExecutor());
  }

  /** Fails the call while it is sent: the handler runs later even on the slot's own event loop. */
  void failLater(NodeCallException exception) {
    failure = exception;
    complete(false);
  }

  @SuppressWarnings("ReferenceEquality") // event loops have identity
  boolean isOnCallerExecutor() {
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

  /**
   * Runs at most twice: on the slot's event loop to send the call, and on the caller's executor to
   * complete it.
   */
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
    frame = null;
    try {
      if (STATE.compareAndSet(this, WAITING, COMPLETED)) {
        Supplier<@Nullable NodeCallException> read = pendingRead;
        NodeCallException exception = read == null ? failure : read.get();
        R answer = reply;
        reply = null;
        if (exception != null) {
          handler.onFailure(exception);
        } else {
          handler.onReply(asRead(answer), Objects.requireNonNull(held));
        }
      }
    } catch (Throwable e) { // an Error too: it must not close a channel that other calls use
      LOG.error("a reply handler of [{}] threw", action(), e);
    } finally {
      reply = null;
      pendingRead = null;
      if (held != null) {
        held.release();
      }
    }
  }

  /** A reader may return null if its caller expects that. */
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
