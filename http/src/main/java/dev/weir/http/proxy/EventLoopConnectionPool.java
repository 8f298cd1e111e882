package dev.weir.http.proxy;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.ssl.SslContext;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The keep-alive connections of one event loop to nodes' REST ports. Confined to that loop. */
final class EventLoopConnectionPool {

  private static final class NodePool {
    final ArrayDeque<RestNodeConnection> idle = new ArrayDeque<>();
    final RequestShares<ProxiedRequest> requests;
    int open;

    NodePool(ProxyOptions options) {
      requests = new RequestShares<>(options);
    }
  }

  /** A node's response may have larger headers than a client's request (Warning headers). */
  private static final int MAX_HEAD_BYTES = 1 << 20;

  private static final int CHUNK_BYTES = 64 << 10;
  private static final WriteBufferWaterMark WATER_MARK =
      new WriteBufferWaterMark(64 << 10, 256 << 10);

  /** Interval between checks of timeouts, in milliseconds. */
  private static final long TICK_MILLIS = 500;

  private final EventLoop eventLoop;
  private final ProxyContext context;
  private final Map<InetSocketAddress, NodePool> nodes = new HashMap<>();
  private final LinkedHashSet<ProxiedRequest> activeRequests = new LinkedHashSet<>();
  private @Nullable Future<?> tickTimer;
  private boolean closed;

  EventLoopConnectionPool(EventLoop loop, ProxyContext context) {
    this.eventLoop = loop;
    this.context = context;
  }

  EventLoop eventLoop() {
    return eventLoop;
  }

  ProxyContext context() {
    return context;
  }

  void register(ProxiedRequest request) {
    activeRequests.add(request);
    context.inFlight().increment();
    scheduleTicks();
  }

  void unregister(ProxiedRequest request) {
    activeRequests.remove(request);
    context.inFlight().decrement();
  }

  /**
   * Gives the request a connection, now or later.
   *
   * @param fresh whether the connection must be new
   */
  void acquire(InetSocketAddress address, ProxiedRequest request, boolean fresh) {
    assert eventLoop.inEventLoop();
    NodePool node = nodes.computeIfAbsent(address, _ -> new NodePool(context.options()));
    if (!node.requests.tryEnter(request)) {
      awaitConnection(node, request);
      return;
    }
    if (!fresh) {
      for (RestNodeConnection idle = node.idle.pollLast();
          idle != null;
          idle = node.idle.pollLast()) {
        if (idle.isUsable()) {
          idle.assign(request);
          request.onConnected(idle, true);
          return;
        }
      }
    }
    if (node.open < context.options().connectionLimit()) {
      connect(address, node, request);
    } else if (fresh && !node.idle.isEmpty()) {
      node.idle.pollFirst().close();
      connect(address, node, request);
    } else {
      node.requests.leave(request);
      awaitConnection(node, request);
    }
  }

  private void awaitConnection(NodePool node, ProxiedRequest request) {
    int waiting = node.requests.waiting();
    if (waiting >= context.options().waitingLimit()) {
      request.onPoolExhausted(
          "too many requests are in flight to the node: "
              + node.open
              + " connections in use and "
              + waiting
              + " requests waiting for one",
          "rest-connections.max-pending");
    } else if (node.requests.tryAwait(request)) {
      context.waiting().increment();
      request.onWaiting();
    } else {
      request.onPoolExhausted(
          "too many requests of this client wait for a connection to the node: "
              + context.options().maxWaitingPerClient(),
          "http.max-address-ratio");
    }
  }

  /** Ends a request's use of a node's connections. */
  void leave(InetSocketAddress address, ProxiedRequest request) {
    NodePool node = nodes.get(address);
    if (node == null) {
      return;
    }
    node.requests.leave(request);
    if (node.open == 0) { // no connection will close, or become free, and serve the next request
      ProxiedRequest next = pollWaiting(node);
      if (next != null) {
        connect(address, node, next);
      }
    }
  }

  private void connect(InetSocketAddress address, NodePool node, ProxiedRequest request) {
    node.open++;
    context.connections().increment();
    RestNodeConnection connection = new RestNodeConnection(this, address);
    request.onConnecting();
    connection.assign(request);
    SslContext tls = context.tls();
    Bootstrap bootstrap =
        new Bootstrap()
            .group(eventLoop)
            .channel(context.channelClass())
            .option(ChannelOption.ALLOCATOR, context.allocator())
            .option(ChannelOption.TCP_NODELAY, true)
            .option(ChannelOption.SO_KEEPALIVE, true)
            .option(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARK)
            .option(
                ChannelOption.CONNECT_TIMEOUT_MILLIS,
                Math.toIntExact(context.options().connectTimeout().toMillis()))
            .handler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    if (tls != null) {
                      channel
                          .pipeline()
                          .addLast(
                              tls.newHandler(
                                  channel.alloc(), address.getHostString(), address.getPort()));
                    }
                    channel
                        .pipeline()
                        .addLast(
                            new HttpClientCodec(
                                new HttpDecoderConfig()
                                    .setMaxInitialLineLength(MAX_HEAD_BYTES)
                                    .setMaxHeaderSize(MAX_HEAD_BYTES)
                                    .setMaxChunkSize(CHUNK_BYTES),
                                false,
                                false))
                        .addLast(connection);
                  }
                });
    bootstrap
        .connect(address)
        .addListener(outcome -> {
          if (outcome.isSuccess()) {
            connection.onConnected(tls != null);
          } else {
            connection.onConnectFailed(outcome.cause());
          }
        });
  }

  /** Gives a free connection to the request that has waited longest, or keeps it idle. */
  void release(RestNodeConnection connection) {
    NodePool node = nodes.get(connection.address());
    if (node == null || closed || !connection.isUsable()) {
      connection.close();
      return;
    }
    ProxiedRequest next = pollWaiting(node);
    if (next != null) {
      connection.assign(next);
      next.onConnected(connection, true);
    } else {
      connection.idleSince(context.nanoTime());
      node.idle.addLast(connection);
      scheduleTicks();
    }
  }

  private @Nullable ProxiedRequest pollWaiting(NodePool node) {
    ProxiedRequest next = node.requests.pollWaiting();
    if (next != null) {
      context.waiting().decrement();
    }
    return next;
  }

  /** Removes a closed connection. */
  void onConnectionClosed(RestNodeConnection connection) {
    NodePool node = nodes.get(connection.address());
    if (node == null) {
      return;
    }
    node.open--;
    context.connections().decrement();
    node.idle.remove(connection);
    ProxiedRequest next = pollWaiting(node);
    if (next != null) {
      connect(connection.address(), node, next);
    } else if (node.open == 0 && node.requests.waiting() == 0) {
      nodes.remove(connection.address());
    }
  }

  /** Removes a request that no longer waits for a connection. */
  void removeWaiting(InetSocketAddress address, ProxiedRequest request) {
    NodePool node = nodes.get(address);
    if (node != null && node.requests.removeWaiting(request)) {
      context.waiting().decrement();
    }
  }

  void close() {
    closed = true;
    for (NodePool node : List.copyOf(nodes.values())) {
      for (RestNodeConnection idle : List.copyOf(node.idle)) {
        idle.close();
      }
    }
  }

  private void scheduleTicks() {
    if (tickTimer == null) {
      tickTimer = eventLoop.schedule(this::tick, TICK_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  private void tick() {
    tickTimer = null;
    long now = context.nanoTime();
    if (!activeRequests.isEmpty()) {
      for (ProxiedRequest request : List.copyOf(activeRequests)) {
        request.checkTimeouts(now);
      }
    }
    long idleNanos = context.options().idleTimeout().toNanos();
    boolean anyIdle = false;
    List<RestNodeConnection> expired = new ArrayList<>();
    for (NodePool node : nodes.values()) {
      anyIdle |= !node.idle.isEmpty();
      for (RestNodeConnection idle : node.idle) {
        if (now - idle.idleSince() < idleNanos) {
          break;
        }
        expired.add(idle);
      }
    }
    expired.forEach(RestNodeConnection::close);
    if (!activeRequests.isEmpty() || anyIdle) {
      scheduleTicks();
    }
  }
}
