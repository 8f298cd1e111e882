package dev.weir.http;

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
 * The connections of one event loop, so that one timer looks after all of them. Confined to that
 * loop.
 */
final class LoopConnections {

  /** An honest client has sent its first request's head by then. */
  private static final long TO_ASK_NANOS = 1_000_000_000L;

  private final EventLoop loop;
  private final LongSupplier nanoClock;
  private final long periodMillis;
  private final LinkedHashSet<Tended> all = new LinkedHashSet<>();

  /** Those that have not sent a whole head yet, and since when; oldest first. */
  private final LinkedHashMap<Channel, Long> neverAsked = new LinkedHashMap<>();

  private @Nullable Future<?> timer;

  LoopConnections(EventLoop loop, LongSupplier nanoClock, long periodMillis) {
    this.loop = loop;
    this.nanoClock = nanoClock;
    this.periodMillis = periodMillis;
  }

  EventLoop loop() {
    return loop;
  }

  void add(Tended connection) {
    all.add(connection);
    if (timer == null) {
      timer =
          loop.scheduleWithFixedDelay(
              this::tendAll, periodMillis, periodMillis, TimeUnit.MILLISECONDS);
    }
  }

  void opened(Channel channel) {
    neverAsked.put(channel, nanoClock.getAsLong());
  }

  /** The first head has arrived, or the channel is closed. */
  void asked(Channel channel) {
    neverAsked.remove(channel);
  }

  void remove(Tended connection) {
    all.remove(connection);
  }

  /**
   * Closes the one that has kept the gateway waiting for its first request for longest; false when
   * none has for a second.
   */
  boolean closeOneThatNeverAsked() {
    Map.Entry<Channel, Long> oldest = neverAsked.firstEntry();
    if (oldest == null || nanoClock.getAsLong() - oldest.getValue() < TO_ASK_NANOS) {
      return false;
    }
    neverAsked.remove(oldest.getKey());
    oldest.getKey().close();
    return true;
  }

  void tendAll() {
    Future<?> running = timer;
    if (all.isEmpty() && running != null) {
      timer = null;
      running.cancel(false);
      return;
    }
    long now = nanoClock.getAsLong();
    for (Tended connection : List.copyOf(all)) {
      connection.tend(now);
    }
  }

  void drainAll() {
    List.copyOf(all).forEach(Tended::drain);
  }

  void closeAll() {
    List.copyOf(all).forEach(Tended::closeNow);
  }
}
