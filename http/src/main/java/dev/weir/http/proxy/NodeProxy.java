package dev.weir.http.proxy;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.handler.ssl.SslContext;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Passes requests through to nodes' REST ports. Safe on any thread; each request stays on the event
 * loop it was opened on.
 */
public final class NodeProxy {

  private final ProxyContext context;
  private final ConcurrentHashMap<EventLoop, EventLoopConnectionPool> pools =
      new ConcurrentHashMap<>();

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
    this.context = new ProxyContext(options, targets, channelClass, allocator, tls, nanoClock);
  }

  /**
   * Starts passing a request through. Called on {@code loop}; the client may hear the outcome
   * before this returns.
   */
  public ProxiedRequest open(EventLoop loop, UpstreamRequest request, DownstreamHandler client) {
    EventLoopConnectionPool pool = pools.get(loop);
    if (pool == null) {
      pool = pools.computeIfAbsent(loop, l -> new EventLoopConnectionPool(l, context));
    }
    ProxiedRequest passage = new ProxiedRequest(pool, request, client);
    passage.start();
    return passage;
  }

  /** Closes connections that nobody uses; those in use close when their requests end. */
  public void close() {
    pools.values().forEach(pool -> pool.eventLoop().execute(pool::close));
  }

  /** What the proxy holds now and did so far, on all event loops together. */
  public ProxyStats stats() {
    return context.stats();
  }
}
