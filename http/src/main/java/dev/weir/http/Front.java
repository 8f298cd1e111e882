package dev.weir.http;

import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** What all connections of a server share. Safe on any thread. */
final class Front {

  private final HttpOptions options;
  private final FrontDesk desk;
  private final long tendMillis;
  private final Promises promises;
  private final AtomicInteger open = new AtomicInteger();
  private final ConcurrentHashMap<EventLoop, LoopConnections> loops = new ConcurrentHashMap<>();
  private volatile boolean draining;

  Front(HttpOptions options, FrontDesk desk) {
    this.options = options;
    this.desk = desk;
    this.promises = new Promises(desk.budget().limit() / 2);
    HttpTimeouts timeouts = options.timeouts();
    long shortest =
        Math.min(
            Math.min(timeouts.head().toMillis(), timeouts.body().toMillis()),
            Math.min(timeouts.write().toMillis(), timeouts.idle().toMillis()));
    this.tendMillis = Math.clamp(shortest / 4, 20, Duration.ofSeconds(1).toMillis());
  }

  HttpOptions options() {
    return options;
  }

  FrontDesk desk() {
    return desk;
  }

  Promises promises() {
    return promises;
  }

  long now() {
    return desk.nanoClock().getAsLong();
  }

  /**
   * Counts a connection, in whose favour another of the loop may have to go when there are too
   * many; false when none can. Call on the loop.
   */
  boolean enter(LoopConnections loop) {
    if (open.incrementAndGet() > options.limits().maxConnections()
        && !loop.closeOneThatNeverAsked()) {
      open.decrementAndGet();
      return false;
    }
    return true;
  }

  void leave() {
    open.decrementAndGet();
  }

  /** Connections open now. */
  int open() {
    return open.get();
  }

  boolean draining() {
    return draining;
  }

  void startDraining() {
    draining = true;
  }

  LoopConnections of(EventLoop loop) {
    LoopConnections known = loops.get(loop);
    return known != null
        ? known
        : loops.computeIfAbsent(loop, l -> new LoopConnections(l, desk.nanoClock(), tendMillis));
  }

  Collection<LoopConnections> loops() {
    return loops.values();
  }
}
