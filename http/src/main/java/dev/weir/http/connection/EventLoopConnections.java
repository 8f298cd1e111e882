package dev.weir.http.connection;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The connections of one event loop; one timer checks the timeouts of all of them. Confined to that
 * loop.
 */
public final class EventLoopConnections {

  /**
   * Time, in nanoseconds, within which a well-behaved client sends the headers of its first
   * request.
   */
  private static final long FIRST_REQUEST_NANOS = 1_000_000_000L;

  private final EventLoop eventLoop;
  private final LongSupplier nanoClock;
  private final long periodMillis;
  private final LinkedHashSet<MonitoredConnection> all = new LinkedHashSet<>();

  /** Connections without complete request headers yet, with the time they opened; oldest first. */
  private final LinkedHashMap<Channel, Long> awaitingFirstRequest = new LinkedHashMap<>();

  private @Nullable Future<?> timer;

  EventLoopConnections(EventLoop loop, LongSupplier nanoClock, long periodMillis) {
    this.eventLoop = loop;
    this.nanoClock = nanoClock;
    this.periodMillis = periodMillis;
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

  /**
   * Closes the connection that has waited longest for its first request.
   *
   * @return false when no connection has waited for a second
   */
  boolean closeOldestWithoutRequest() {
    Map.Entry<Channel, Long> oldest = awaitingFirstRequest.firstEntry();
    if (oldest == null || nanoClock.getAsLong() - oldest.getValue() < FIRST_REQUEST_NANOS) {
      return false;
    }
    awaitingFirstRequest.remove(oldest.getKey());
    oldest.getKey().close();
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
  }

  public void drainAll() {
    List.copyOf(all).forEach(MonitoredConnection::drain);
  }

  public void closeAll() {
    List.copyOf(all).forEach(MonitoredConnection::closeNow);
  }
}
