package dev.weir.gateway.http;

import io.netty.channel.EventLoop;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The connections of one event loop, so that one timer looks after all of them. Confined to that
 * loop.
 */
final class LoopConnections {

  private final EventLoop loop;
  private final LongSupplier nanoClock;
  private final long periodMillis;
  private final LinkedHashSet<Tended> all = new LinkedHashSet<>();
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

  void remove(Tended connection) {
    all.remove(connection);
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
