package dev.weir.http.connection;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The connections of one event loop; one timer checks the timeouts of all of them. Confined to that
 * loop.
 */
public final class EventLoopConnections {

  /**
   * Time, in nanoseconds, for which a connection is kept for a request: for the headers of its
   * first one, and after the last response.
   */
  private static final long MIN_IDLE_NANOS = 1_000_000_000L;

  private static final long NO_SEARCH = Long.MAX_VALUE;

  private final EventLoop eventLoop;
  private final LongSupplier nanoClock;
  private final long periodMillis;
  private final Consumer<EventLoopConnections> afterCheck;
  private final LinkedHashSet<MonitoredConnection> all = new LinkedHashSet<>();

  /** Connections without complete request headers yet, with the time they opened; oldest first. */
  private final LinkedHashMap<Channel, Long> awaitingFirstRequest = new LinkedHashMap<>();

  private final FruitlessSearches fruitlessSearches = new FruitlessSearches();

  /** What {@link #requestSearch} asked for; {@link #NO_SEARCH} when the loop has seen to it. */
  private final AtomicLong requestedSearch = new AtomicLong(NO_SEARCH);

  private @Nullable Future<?> timer;

  /**
   * Creates the connections of a loop, without any.
   *
   * @param afterCheck runs after each check of all timeouts
   */
  EventLoopConnections(
      EventLoop loop,
      LongSupplier nanoClock,
      long periodMillis,
      Consumer<EventLoopConnections> afterCheck) {
    this.eventLoop = loop;
    this.nanoClock = nanoClock;
    this.periodMillis = periodMillis;
    this.afterCheck = afterCheck;
  }

  public EventLoop eventLoop() {
    return eventLoop;
  }

  public void add(MonitoredConnection connection) {
    all.add(connection);
    if (timer == null) {
      timer =
          eventLoop.scheduleWithFixedDelay(
              this::checkAll, periodMillis, periodMillis, TimeUnit.MILLISECONDS);
    }
  }

  public void onOpened(Channel channel) {
    awaitingFirstRequest.put(channel, nanoClock.getAsLong());
  }

  /** Called when the headers of the first request have arrived, or the channel is closed. */
  public void onFirstRequest(Channel channel) {
    awaitingFirstRequest.remove(channel);
  }

  public void remove(MonitoredConnection connection) {
    all.remove(connection);
  }

  FruitlessSearches fruitlessSearches() {
    return fruitlessSearches;
  }

  /**
   * Asks the loop for an idle connection of a client with at least so many connections. Safe on any
   * thread.
   *
   * @return whether the caller gives the loop a task, which {@linkplain #takeRequestedSearch takes}
   *     what was asked for; otherwise one is on its way
   */
  boolean requestSearch(long connections) {
    return requestedSearch.getAndAccumulate(connections, Math::min) == NO_SEARCH;
  }

  /** Returns the fewest connections that a search was asked for since the last call. */
  long takeRequestedSearch() {
    return requestedSearch.getAndSet(NO_SEARCH);
  }

  /**
   * Closes the connection that has waited longest for its first request, if it has waited for a
   * second.
   *
   * @param candidates the clients whose connections may be closed
   * @return whether one was closed
   */
  boolean closeOldestWithoutRequest(Predicate<ClientNetwork> candidates) {
    long now = nanoClock.getAsLong();
    for (Map.Entry<Channel, Long> oldest : awaitingFirstRequest.entrySet()) {
      if (now - oldest.getValue() < MIN_IDLE_NANOS) {
        return false;
      }
      Channel channel = oldest.getKey();
      if (candidates.test(ClientPeer.networkOf(channel))) {
        awaitingFirstRequest.remove(channel);
        channel.close();
        return true;
      }
    }
    return false;
  }

  /**
   * Closes the connection that has been idle longest between two requests, if it has been idle for
   * a second. Looks at all connections: needed only when the server is full.
   *
   * @param candidates the clients whose connections may be closed
   * @return whether one was closed
   */
  boolean closeLongestIdle(Predicate<ClientNetwork> candidates) {
    long now = nanoClock.getAsLong();
    long longestNanos = MIN_IDLE_NANOS - 1;
    MonitoredConnection longest = null;
    for (MonitoredConnection connection : all) {
      long since = connection.idleSinceNanos(now);
      if (since != MonitoredConnection.BUSY
          && now - since > longestNanos
          && candidates.test(connection.network())) {
        longestNanos = now - since;
        longest = connection;
      }
    }
    if (longest == null) {
      return false;
    }
    all.remove(longest);
    longest.evict();
    return true;
  }

  /**
   * Closes the connection or stream whose client reads a response that holds memory slower than all
   * others of this event loop. Clients that hold more than half of what all hold come first.
   *
   * @param candidates the clients whose connections may be closed
   * @param maxBytesPerSecond faster clients are left alone
   * @return whether one was closed
   */
  boolean closeSlowestReader(
      Predicate<ClientNetwork> candidates,
      Predicate<ClientNetwork> holdsMost,
      long maxBytesPerSecond) {
    MonitoredConnection slowest = null;
    long slowestRate = 0;
    boolean slowestHoldsMost = false;
    for (MonitoredConnection connection : all) {
      long rate = connection.readRate();
      if (rate > maxBytesPerSecond || !candidates.test(connection.network())) {
        continue;
      }
      boolean most = holdsMost.test(connection.network());
      if (slowest == null || (most == slowestHoldsMost ? rate < slowestRate : most)) {
        slowest = connection;
        slowestRate = rate;
        slowestHoldsMost = most;
      }
    }
    if (slowest == null) {
      return false;
    }
    all.remove(slowest); // its channel may close later
    slowest.evict();
    return true;
  }

  public void checkAll() {
    Future<?> running = timer;
    if (all.isEmpty() && running != null) {
      timer = null;
      running.cancel(false);
      return;
    }
    long now = nanoClock.getAsLong();
    for (MonitoredConnection connection : List.copyOf(all)) {
      connection.checkTimeouts(now);
    }
    afterCheck.accept(this);
  }

  public void drainAll() {
    List.copyOf(all).forEach(MonitoredConnection::drain);
  }

  public void closeAll() {
    List.copyOf(all).forEach(MonitoredConnection::closeNow);
  }
}
