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
final class Call<R> extends TimeoutWheel.Entry implements PendingCall, Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(Call.class);
  private static final VarHandle STATE;

  static {
    try {
      STATE = MethodHandles.lookup().findVarHandle(Call.class, "state", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private static final int WAITING = 0;
  private static final int TOLD = 1;
  private static final int FORGOTTEN = 2;

  private final NodeCall<R> request;
  private final Executor home;
  private final ReplyHandler<R> handler;
  private final Lane lane;

  @SuppressWarnings("unused") // through STATE
  private volatile int state;

  /** Written on the lane's loop. */
  private volatile @Nullable WireChannel wire;

  // Confined to the lane's loop.
  private long id;
  private long startNanos;

  // Written on the lane's loop, read at home, ordered by the hop between.
  private boolean settled;
  private @Nullable R reply;
  private @Nullable Frame frame;
  private @Nullable NodeFailure failure;

  Call(NodeCall<R> request, Executor home, ReplyHandler<R> handler, Lane lane) {
    this.request = request;
    this.home = home;
    this.handler = handler;
    this.lane = lane;
  }

  NodeCall<R> request() {
    return request;
  }

  String action() {
    return request.action();
  }

  /** Who pays for the answer beside the client; null when nobody does. */
  @Nullable FrameBudget budget() {
    return handler.budget();
  }

  boolean forgotten() {
    return state == FORGOTTEN;
  }

  /** The channel it is in flight on; null while it waits for one. */
  @Nullable WireChannel wire() {
    return wire;
  }

  long id() {
    return id;
  }

  /** When its lane took it, by the loop's ticker. */
  long startNanos() {
    return startNanos;
  }

  void started(long nanos) {
    startNanos = nanos;
  }

  void inFlight(WireChannel on, long requestId) {
    id = requestId;
    wire = on;
  }

  @Override
  public boolean written() {
    return wire != null;
  }

  /** What the node answered; told when the call succeeds. */
  void read(R value) {
    reply = value;
  }

  /** The answer was read; one reference on its frame is given over. */
  void succeed(Frame read) {
    frame = read;
    settle(atHome());
  }

  /** The call failed. On the loop, but never from within {@code send}. */
  void fail(NodeFailure why) {
    failure = why;
    settle(atHome());
  }

  /** The call failed while it was being sent: told later even if this is its home. */
  void failLater(NodeFailure why) {
    failure = why;
    settle(false);
  }

  @SuppressWarnings("ReferenceEquality") // a loop is itself only
  private boolean atHome() {
    return lane.loop() == home;
  }

  private void settle(boolean now) {
    settled = true;
    if (now) {
      tell();
      return;
    }
    try {
      home.execute(this);
    } catch (RejectedExecutionException e) {
      LOG.debug("home of a call to [{}] is shut down: told in place", action());
      tell();
    }
  }

  /** Runs twice at most: on the lane's loop to be sent, and at home to tell the outcome. */
  @Override
  public void run() {
    if (settled) {
      tell();
    } else {
      lane.send(this);
    }
  }

  private void tell() {
    Frame held = frame;
    R answer = reply;
    frame = null;
    reply = null;
    try {
      if (STATE.compareAndSet(this, WAITING, TOLD)) {
        NodeFailure why = failure;
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

  /** A reader may give null to those who asked for that. */
  @SuppressWarnings("NullAway")
  private static <T> T asRead(@Nullable T value) {
    return value;
  }

  @Override
  public boolean forget() {
    if (!STATE.compareAndSet(this, WAITING, FORGOTTEN)) {
      return false;
    }
    if (lane.loop().inEventLoop()) {
      lane.forget(this);
    } else {
      try {
        lane.loop().execute(() -> lane.forget(this));
      } catch (RejectedExecutionException e) {
        LOG.debug("forgot a call to [{}] on a loop that is shut down", action());
      }
    }
    return true;
  }

  @Override
  void onTimeout() {
    lane.onTimeout(this);
  }
}
