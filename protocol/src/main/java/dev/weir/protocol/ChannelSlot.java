package dev.weir.protocol;

import dev.weir.protocol.stats.SlotCounters;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.opensearch.transport.ConnectTransportException;
import org.opensearch.transport.TransportService;

/**
 * One slot in a node's fixed set of channels. It reconnects whenever its connection is lost.
 * Confined to its event loop, except {@link #isUsable()} and the counters.
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
 * <p>Calls wait during the first attempt to connect. After a failure, calls fail immediately, so
 * that their callers can choose another copy.
 */
final class ChannelSlot implements CallDispatcher {
  private sealed interface State {}

  private record Idle() implements State {}

  private record Connecting(ConnectAttempt attempt) implements State {}

  private record Open(NodeChannel channel, long sinceNanos) implements State {}

  private record Waiting(ScheduledFuture<?> timer) implements State {}

  private record Closed(@Nullable NodeChannel draining) implements State {}

  private final NodeChannelPool node;
  private final LoopContext context;
  private final SlotCounters counters = new SlotCounters();
  private final ArrayDeque<ActiveCall<?>> pending = new ArrayDeque<>();
  private State state = new Idle();
  private int failures;
  private volatile boolean isOpen;
  private volatile boolean isFailing;

  ChannelSlot(NodeChannelPool node, LoopContext context) {
    this.node = node;
    this.context = context;
  }

  @Override
  public EventLoop loop() {
    return context.loop;
  }

  /** Returns whether a start of the node reads zstd. */
  boolean readsZstd(String processId) {
    return node.readsZstd(processId);
  }

  SlotCounters counters() {
    return counters;
  }

  /** Returns true if the channel is open. Safe on any thread. */
  boolean isOpen() {
    return isOpen;
  }

  /** Returns true if a call would probably be sent soon. Safe on any thread. */
  boolean isUsable() {
    return isOpen || !isFailing;
  }

  @Override
  public void send(ActiveCall<?> call) {
    if (call.isAbandoned()) {
      return;
    }
    startTimeout(call);
    switch (state) {
      case Open(NodeChannel wire, long since) -> wire.send(call);
      case Idle() -> {
        connect();
        enqueue(call);
      }
      case Connecting(ConnectAttempt attempt) -> {
        if (failures == 0) {
          enqueue(call);
        } else {
          failNotConnected(call);
        }
      }
      case Waiting(ScheduledFuture<?> timer) -> failNotConnected(call);
      case Closed(NodeChannel draining) -> failNotConnected(call);
    }
  }

  void startTimeout(ActiveCall<?> call) {
    long nanos = nanos(call.request().timeout());
    if (nanos > 0) {
      call.markStarted(context.loop.ticker().nanoTime());
      context.timeouts.add(call, nanos);
    }
  }

  private static long nanos(Duration duration) {
    return duration.toSeconds() > Integer.MAX_VALUE ? Long.MAX_VALUE : duration.toNanos();
  }

  private void enqueue(ActiveCall<?> call) {
    int maxPending = context.options().limits().maxPending();
    if (pending.size() >= maxPending) {
      reject(
          call,
          node.peer()
              .rejected(
                  "too many calls wait for a connection: got "
                      + pending.size()
                      + " (expected: fewer than "
                      + maxPending
                      + ")"));
    } else {
      pending.add(call);
      counters.pending.setOpaque(pending.size());
    }
  }

  private void failNotConnected(ActiveCall<?> call) {
    reject(call, node.peer().notConnected());
  }

  private void reject(ActiveCall<?> call, NodeCallException failure) {
    SlotCounters.add(counters.rejections, 1);
    context.timeouts.remove(call);
    call.failLater(failure);
  }

  @Override
  public void abandon(ActiveCall<?> call) {
    InFlightCalls connection = call.connection();
    if (connection != null) {
      connection.abandon(call);
    } else if (pending.remove(call)) {
      context.timeouts.remove(call);
      counters.pending.setOpaque(pending.size());
    }
  }

  @Override
  public void onTimeout(ActiveCall<?> call) {
    InFlightCalls connection = call.connection();
    if (connection != null) {
      connection.onTimeout(call);
    } else if (pending.remove(call)) {
      counters.pending.setOpaque(pending.size());
      SlotCounters.add(counters.timeouts, 1);
      call.fail(
          node.peer()
              .notConnected(
                  "Node not connected within [" + call.request().timeout().toMillis() + "ms]"));
    }
  }

  /** Connects unless the slot is connecting, open or closed. */
  void connect() {
    if (state instanceof Idle || state instanceof Waiting) {
      ConnectAttempt attempt = new ConnectAttempt(this, context, node.peer());
      state = new Connecting(attempt);
      attempt.start();
    }
  }

  void onConnected(
      ConnectAttempt attempt, NodeChannel wire, TransportService.HandshakeResponse response) {
    if (!(state instanceof Connecting(ConnectAttempt current)) || current != attempt) {
      wire.close(null);
      return;
    }
    state = new Open(wire, context.loop.ticker().nanoTime());
    isOpen = true;
    isFailing = false;
    SlotCounters.add(counters.connects, 1);
    node.onChannelOpened(response);
    for (ActiveCall<?> call = pending.poll(); call != null; call = pending.poll()) {
      if (!call.isAbandoned()) {
        wire.send(call);
      }
    }
    counters.pending.setOpaque(0);
  }

  void onConnectFailed(ConnectAttempt attempt, ConnectTransportException failure) {
    if (!(state instanceof Connecting(ConnectAttempt current)) || current != attempt) {
      return;
    }
    SlotCounters.add(counters.connectFailures, 1);
    failures++;
    isFailing = true;
    retryLater();
    failPending(failure);
    node.onConnectFailed(failure);
  }

  void onClosed(NodeChannel wire, @Nullable Throwable cause) {
    if (state instanceof Closed(NodeChannel draining) && draining == wire) {
      node.onSlotClosed();
      return;
    }
    if (!(state instanceof Open(NodeChannel current, long since)) || current != wire) {
      return;
    }
    isOpen = false;
    isFailing = true;
    SlotCounters.add(counters.disconnects, 1);
    node.onChannelLost(cause);
    long lived = context.loop.ticker().nanoTime() - since;
    if (lived >= context.options().timing().maxBackoff().toNanos()) {
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
    isFailing = true;
    state =
        new Waiting(
            context.loop.schedule(
                this::connect, context.reconnectDelayNanos(failures), TimeUnit.NANOSECONDS));
  }

  /** Reconnects after the node's address changed; calls in flight may still get responses. */
  void onNodeMoved() {
    State before = state;
    if (!(before instanceof Closed)) {
      state = new Idle();
      leaveState(before);
      reconnect(!(before instanceof Idle));
    }
  }

  /** Handles a restart of the node: calls in flight to the earlier process are lost. */
  void onNodeRestarted(String ephemeralId) {
    switch (state) {
      case Open(NodeChannel wire, long since) -> {
        if (!wire.ephemeralId().equals(ephemeralId)) {
          onNodeMoved();
          wire.close(null);
        }
      }
      case Waiting(ScheduledFuture<?> timer) -> onNodeMoved();
      case Idle() -> {}
      case Connecting(ConnectAttempt attempt) -> {}
      case Closed(NodeChannel draining) -> {}
    }
  }

  private void reconnect(boolean wanted) {
    failures = 0;
    isFailing = false;
    if (wanted) {
      connect();
    }
  }

  private @Nullable NodeChannel openChannel() {
    return state instanceof Open(NodeChannel wire, long since) ? wire : null;
  }

  /**
   * Rejects further calls; the connection closes when no call is in flight.
   *
   * @param atOnce calls in flight fail immediately
   */
  void close(boolean atOnce) {
    NodeChannel wire = openChannel();
    if (state instanceof Closed(NodeChannel draining)) {
      if (draining != null && atOnce) {
        draining.close(null);
      }
      return;
    }
    State before = state;
    state = new Closed(wire);
    isFailing = true;
    leaveState(before);
    failPending(null);
    if (wire == null) {
      node.onSlotClosed();
    } else if (atOnce) {
      wire.close(null);
    }
  }

  private void leaveState(State before) {
    switch (before) {
      case Open(NodeChannel wire, long since) -> {
        isOpen = false;
        node.onChannelClosed();
        wire.drain();
      }
      case Connecting(ConnectAttempt attempt) -> attempt.abandon();
      case Waiting(ScheduledFuture<?> timer) -> timer.cancel(false);
      case Idle() -> {}
      case Closed(NodeChannel draining) -> {}
    }
  }

  private void failPending(@Nullable ConnectTransportException why) {
    for (ActiveCall<?> call = pending.poll(); call != null; call = pending.poll()) {
      reject(call, why == null ? node.peer().notConnected() : node.peer().notSent(why));
    }
    counters.pending.setOpaque(0);
  }
}
