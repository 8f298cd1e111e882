package dev.weir.http.proxy;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.handler.ssl.SslContext;
import java.net.InetSocketAddress;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Passes requests through to nodes' REST ports. Safe on any thread; each request stays on the event
 * loop that opened it.
 */
public final class NodeProxy {

  private final ProxyContext context;
  private final ConcurrentHashMap<EventLoop, EventLoopConnectionPool> pools =
      new ConcurrentHashMap<>();

  /**
   * Creates a proxy.
   *
   * @param channelClass the class of connections; matches the clients' event loops
   * @param allocator allocates all buffers
   * @param tls returns the context for the next connection; null when the nodes' REST ports speak
   *     plain HTTP
   * @param nanoClock such as {@link System#nanoTime()}
   */
  public NodeProxy(
      ProxyOptions options,
      ProxyTargetSelector targets,
      Class<? extends Channel> channelClass,
      ByteBufAllocator allocator,
      @Nullable Supplier<SslContext> tls,
      LongSupplier nanoClock) {
    this.context = new ProxyContext(options, targets, channelClass, allocator, tls, nanoClock);
  }

  /**
   * Starts passing a request through. Call on {@code loop}. The handler may be called before this
   * returns.
   */
  public ProxiedRequest open(EventLoop loop, UpstreamRequest request, DownstreamHandler client) {
    EventLoopConnectionPool pool = pools.get(loop);
    if (pool == null) {
      pool = pools.computeIfAbsent(loop, l -> new EventLoopConnectionPool(l, context));
    }
    ProxiedRequest proxied = new ProxiedRequest(pool, request, client);
    proxied.start();
    return proxied;
  }

  /** Closes idle connections; the others close when their requests end. */
  public void close() {
    pools.values().forEach(pool -> pool.eventLoop().execute(pool::close));
  }

  /** Returns the number of requests that a node has not answered to the end. */
  public int outstanding(InetSocketAddress node) {
    return context.targets().outstanding(node);
  }

  /** Returns the statistics of all event loops together. */
  public ProxyStats stats() {
    return context.stats();
  }
}
