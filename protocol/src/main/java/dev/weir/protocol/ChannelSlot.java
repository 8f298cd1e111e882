package dev.weir.protocol;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.opensearch.transport.ConnectTransportException;
import org.opensearch.transport.TransportService;

/**
 * One place in a node's fixed profile of channels, which is filled again whenever its connection is
 * lost. Confined to its event loop, {@link #usable()} and the counters excepted.
 *
 * <pre>
 *   Idle --send, connect--> Connecting --handshakes done--> Open
 *                            ^      |                        |
 *                            |   failure                   lost
 *                          timer    v                        v
 *                            `-- Waiting <-----------------'
 *   any --close--> Closed
 * </pre>
 *
 * <p>Calls wait while the first attempt is under way; after a failure they fail at once, so that
 * they can go to another copy.
 */
final class ChannelSlot implements Lane {
  private sealed interface State {}

  private record Idle() implements State {}

  private record Connecting(ConnectAttempt attempt) implements State {}

  private record Open(WireChannel wire, long sinceNanos) implements State {}

  private record Waiting(ScheduledFuture<?> timer) implements State {}

  private record Closed(@Nullable WireChannel draining) implements State {}

  private final NodeConnection node;
  private final LoopContext context;
  private final SlotCounters counters = new SlotCounters();
  private final ArrayDeque<Call<?>> pending = new ArrayDeque<>();
  private State state = new Idle();
  private int failures;
  private volatile boolean open;
  private volatile boolean failing;

  ChannelSlot(NodeConnection node, LoopContext context) {
    this.node = node;
    this.context = context;
  }

  @Override
  public EventLoop loop() {
    return context.loop;
  }

  SlotCounters counters() {
    return counters;
  }

  /** Whether the channel is open. Any thread. */
  boolean open() {
    return open;
  }

  /** Whether a call sent now is likely to be sent soon. Any thread. */
  boolean usable() {
    return open || !failing;
  }

  @Override
  public void send(Call<?> call) {
    if (call.forgotten()) {
      return;
    }
    startTimeout(call);
    switch (state) {
      case Open(WireChannel wire, long since) -> wire.send(call);
      case Idle() -> {
        connect();
        enqueue(call);
      }
      case Connecting(ConnectAttempt attempt) -> {
        if (failures == 0) {
          enqueue(call);
        } else {
          notConnected(call);
        }
      }
      case Waiting(ScheduledFuture<?> timer) -> notConnected(call);
      case Closed(WireChannel draining) -> notConnected(call);
    }
  }

  void startTimeout(Call<?> call) {
    call.started(context.loop.ticker().nanoTime());
    long nanos = nanos(call.request().timeout());
    if (nanos > 0) {
      context.timeouts.add(call, nanos);
    }
  }

  private static long nanos(Duration duration) {
    return duration.toSeconds() > Integer.MAX_VALUE ? Long.MAX_VALUE : duration.toNanos();
  }

  private void enqueue(Call<?> call) {
    int most = context.options().limits().maxPending();
    if (pending.size() >= most) {
      context.timeouts.remove(call);
      SlotCounters.add(counters.refused, 1);
      call.failLater(
          node.peer()
              .refused(
                  "too many calls wait for a connection: got "
                      + pending.size()
                      + " (expected: fewer than "
                      + most
                      + ")"));
    } else {
      pending.add(call);
      counters.pending.setOpaque(pending.size());
    }
  }

  private void notConnected(Call<?> call) {
    context.timeouts.remove(call);
    SlotCounters.add(counters.refused, 1);
    call.failLater(node.peer().notConnected());
  }

  @Override
  public void forget(Call<?> call) {
    WireChannel wire = call.wire();
    if (wire != null) {
      wire.forget(call);
    } else if (pending.remove(call)) {
      context.timeouts.remove(call);
      counters.pending.setOpaque(pending.size());
    }
  }

  @Override
  public void onTimeout(Call<?> call) {
    WireChannel wire = call.wire();
    if (wire != null) {
      wire.timedOut(call);
    } else if (pending.remove(call)) {
      counters.pending.setOpaque(pending.size());
      SlotCounters.add(counters.timedOut, 1);
      call.fail(
          node.peer()
              .notConnected(
                  "Node not connected within [" + call.request().timeout().toMillis() + "ms]"));
    }
  }

  /** Connects if nothing else is under way. */
  void connect() {
    if (state instanceof Idle || state instanceof Waiting) {
      ConnectAttempt attempt = new ConnectAttempt(this, context, node.peer());
      state = new Connecting(attempt);
      attempt.start();
    }
  }

  void connected(
      ConnectAttempt attempt, WireChannel wire, TransportService.HandshakeResponse answer) {
    if (!(state instanceof Connecting(ConnectAttempt current)) || current != attempt) {
      wire.close(null);
      return;
    }
    state = new Open(wire, context.loop.ticker().nanoTime());
    open = true;
    failing = false;
    SlotCounters.add(counters.connects, 1);
    node.opened(answer);
    for (Call<?> call = pending.poll(); call != null; call = pending.poll()) {
      if (!call.forgotten()) {
        wire.send(call);
      }
    }
    counters.pending.setOpaque(0);
  }

  void connectFailed(ConnectAttempt attempt, ConnectTransportException failure) {
    if (!(state instanceof Connecting(ConnectAttempt current)) || current != attempt) {
      return;
    }
    SlotCounters.add(counters.connectFailures, 1);
    failures++;
    failing = true;
    retryLater();
    failPending(failure);
    node.connectFailed(failure);
  }

  void closed(WireChannel wire, @Nullable Throwable cause) {
    if (state instanceof Closed(WireChannel draining) && draining == wire) {
      node.slotGone();
      return;
    }
    if (!(state instanceof Open(WireChannel current, long since)) || current != wire) {
      return;
    }
    open = false;
    failing = true;
    SlotCounters.add(counters.disconnects, 1);
    node.lost(cause);
    long lived = context.loop.ticker().nanoTime() - since;
    if (lived >= context.options().timing().backoffMost().toNanos()) {
      failures = 0;
    } else {
      failures++;
    }
    retryLater();
  }

  private void retryLater() {
    if (failures == 0) {
      state = new Idle();
      connect();
      return;
    }
    failing = true;
    state =
        new Waiting(
            context.loop.schedule(
                this::connect, context.backoff.nanosAfter(failures), TimeUnit.NANOSECONDS));
  }

  /** The node moved: connects anew; what is in flight may still be answered. */
  void moved() {
    State before = state;
    if (!(before instanceof Closed)) {
      state = new Idle();
      leave(before);
      anew(!(before instanceof Idle));
    }
  }

  /** The node was restarted: what was in flight on its earlier process is lost. */
  void restarted(String ephemeralId) {
    switch (state) {
      case Open(WireChannel wire, long since) -> {
        if (!wire.ephemeralId().equals(ephemeralId)) {
          moved();
          wire.close(null);
        }
      }
      case Waiting(ScheduledFuture<?> timer) -> moved();
      case Idle() -> {}
      case Connecting(ConnectAttempt attempt) -> {}
      case Closed(WireChannel draining) -> {}
    }
  }

  private void anew(boolean wanted) {
    failures = 0;
    failing = false;
    if (wanted) {
      connect();
    }
  }

  private @Nullable WireChannel wire() {
    return state instanceof Open(WireChannel wire, long since) ? wire : null;
  }

  /**
   * Takes no more calls; the connection closes when nothing is in flight any more.
   *
   * @param atOnce whether what is in flight fails instead
   */
  void close(boolean atOnce) {
    WireChannel wire = wire();
    if (state instanceof Closed(WireChannel draining)) {
      if (draining != null && atOnce) {
        draining.close(null);
      }
      return;
    }
    State before = state;
    state = new Closed(wire);
    failing = true;
    leave(before);
    failPending(null);
    if (wire == null) {
      node.slotGone();
    } else if (atOnce) {
      wire.close(null);
    }
  }

  private void leave(State before) {
    switch (before) {
      case Open(WireChannel wire, long since) -> {
        open = false;
        node.closed();
        wire.drain();
      }
      case Connecting(ConnectAttempt attempt) -> attempt.abandon();
      case Waiting(ScheduledFuture<?> timer) -> timer.cancel(false);
      case Idle() -> {}
      case Closed(WireChannel draining) -> {}
    }
  }

  private void failPending(@Nullable ConnectTransportException why) {
    for (Call<?> call = pending.poll(); call != null; call = pending.poll()) {
      context.timeouts.remove(call);
      call.failLater(why == null ? node.peer().notConnected() : node.peer().notSent(why));
    }
    counters.pending.setOpaque(0);
  }
}
