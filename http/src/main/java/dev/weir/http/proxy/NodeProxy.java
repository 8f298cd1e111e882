package dev.weir.http.proxy;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.handler.ssl.SslContext;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Passes requests through to nodes' REST ports. Safe on any thread; each request stays on the event
 * loop it was opened on.
 */
public final class NodeProxy {

  private final ProxyOptions options;
  private final ProxyTargetSelector targets;
  private final Class<? extends Channel> channelClass;
  private final ByteBufAllocator allocator;
  private final @Nullable SslContext tls;
  private final LongSupplier nanoClock;
  private final ConcurrentHashMap<EventLoop, EventLoopConnectionPool> pools =
      new ConcurrentHashMap<>();
  private final TlsMismatchReporter tlsMismatches = new TlsMismatchReporter();
  private final LongAdder connections = new LongAdder();
  private final LongAdder waiting = new LongAdder();
  private final LongAdder inFlight = new LongAdder();
  private final LongAdder retries = new LongAdder();
  private final LongAdder failures = new LongAdder();

  /**
   * Makes a proxy.
   *
   * @param channelClass what connections are made of; fits the event loops of the clients
   * @param allocator where buffers come from
   * @param tls null when the nodes' REST ports speak plain HTTP
   * @param nanoClock such as {@link System#nanoTime()}
   */
  public NodeProxy(
      ProxyOptions options,
      ProxyTargetSelector targets,
      Class<? extends Channel> channelClass,
      ByteBufAllocator allocator,
      @Nullable SslContext tls,
      LongSupplier nanoClock) {
    this.options = options;
    this.targets = targets;
    this.channelClass = channelClass;
    this.allocator = allocator;
    this.tls = tls;
    this.nanoClock = nanoClock;
  }

  /**
   * Starts passing a request through. Called on {@code loop}; the client may hear the outcome
   * before this returns.
   */
  public ProxiedRequest open(EventLoop loop, UpstreamRequest request, DownstreamHandler client) {
    EventLoopConnectionPool pool = pools.get(loop);
    if (pool == null) {
      pool = pools.computeIfAbsent(loop, l -> new EventLoopConnectionPool(l, this));
    }
    ProxiedRequest passage = new ProxiedRequest(pool, request, client);
    passage.start();
    return passage;
  }

  /** Closes connections that nobody uses; those in use close when their requests end. */
  public void close() {
    pools.values().forEach(pool -> pool.eventLoop().execute(pool::close));
  }

  /** What it holds and did, by all event loops together. */
  public ProxyStats stats() {
    return new ProxyStats(
        connections.sum(), waiting.sum(), inFlight.sum(), retries.sum(), failures.sum());
  }

  LongAdder connections() {
    return connections;
  }

  LongAdder waiting() {
    return waiting;
  }

  LongAdder inFlight() {
    return inFlight;
  }

  LongAdder retries() {
    return retries;
  }

  LongAdder failures() {
    return failures;
  }

  TlsMismatchReporter tlsMismatches() {
    return tlsMismatches;
  }

  ProxyOptions options() {
    return options;
  }

  ProxyTargetSelector targets() {
    return targets;
  }

  Class<? extends Channel> channelClass() {
    return channelClass;
  }

  ByteBufAllocator allocator() {
    return allocator;
  }

  @Nullable SslContext tls() {
    return tls;
  }

  long nanoTime() {
    return nanoClock.getAsLong();
  }
}
