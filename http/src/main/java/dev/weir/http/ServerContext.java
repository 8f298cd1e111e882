package dev.weir.http;

import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** What all connections of a server share. Safe on any thread. */
final class ServerContext {

  private final HttpOptions options;
  private final RequestEnvironment environment;
  private final long checkIntervalMillis;
  private final PendingBodyTracker pendingBodies;
  private final AtomicInteger openConnections = new AtomicInteger();
  private final ConcurrentHashMap<EventLoop, EventLoopConnections> eventLoops =
      new ConcurrentHashMap<>();
  private volatile boolean isDraining;

  ServerContext(HttpOptions options, RequestEnvironment desk) {
    this.options = options;
    this.environment = desk;
    this.pendingBodies = new PendingBodyTracker(desk.bodyBudget().limit() / 2);
    HttpTimeouts timeouts = options.timeouts();
    long shortest =
        Math.min(
            Math.min(timeouts.headers().toMillis(), timeouts.body().toMillis()),
            Math.min(timeouts.write().toMillis(), timeouts.idle().toMillis()));
    this.checkIntervalMillis = Math.clamp(shortest / 4, 20, Duration.ofSeconds(1).toMillis());
  }

  HttpOptions options() {
    return options;
  }

  RequestEnvironment environment() {
    return environment;
  }

  PendingBodyTracker pendingBodies() {
    return pendingBodies;
  }

  long nanoTime() {
    return environment.nanoClock().getAsLong();
  }

  /**
   * Counts a connection, in whose favour another of the loop may have to go when there are too
   * many; false when none can. Call on the loop.
   */
  boolean tryRegister(EventLoopConnections loop) {
    if (openConnections.incrementAndGet() > options.limits().maxConnections()
        && !loop.closeOldestWithoutRequest()) {
      openConnections.decrementAndGet();
      return false;
    }
    return true;
  }

  void unregister() {
    openConnections.decrementAndGet();
  }

  /** Connections open now. */
  int openConnections() {
    return openConnections.get();
  }

  boolean isDraining() {
    return isDraining;
  }

  void startDraining() {
    isDraining = true;
  }

  EventLoopConnections connectionsOf(EventLoop loop) {
    EventLoopConnections known = eventLoops.get(loop);
    return known != null
        ? known
        : eventLoops.computeIfAbsent(
            loop, l -> new EventLoopConnections(l, environment.nanoClock(), checkIntervalMillis));
  }

  Collection<EventLoopConnections> eventLoops() {
    return eventLoops.values();
  }
}
