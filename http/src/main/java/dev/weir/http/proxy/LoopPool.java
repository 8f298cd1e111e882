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
final class LoopPool {

  /** Connections to one node. */
  private static final class ToNode {
    final ArrayDeque<NodeConnection> idle = new ArrayDeque<>();
    final ArrayDeque<Passage> waiting = new ArrayDeque<>();
    int open;
  }

  /** A node's answers have larger heads than a client's requests may have (Warning headers). */
  private static final int MAX_HEAD_BYTES = 1 << 20;

  private static final int CHUNK_BYTES = 64 << 10;
  private static final WriteBufferWaterMark WATER_MARK =
      new WriteBufferWaterMark(64 << 10, 256 << 10);

  /** How often timeouts are looked at, in milliseconds. */
  private static final long TICK_MILLIS = 500;

  private final EventLoop loop;
  private final NodeProxy proxy;
  private final Map<InetSocketAddress, ToNode> nodes = new HashMap<>();
  private final LinkedHashSet<Passage> active = new LinkedHashSet<>();
  private @Nullable Future<?> ticking;
  private boolean closed;

  LoopPool(EventLoop loop, NodeProxy proxy) {
    this.loop = loop;
    this.proxy = proxy;
  }

  EventLoop loop() {
    return loop;
  }

  NodeProxy proxy() {
    return proxy;
  }

  void enter(Passage passage) {
    active.add(passage);
    proxy.underWay().increment();
    tickWhileUsed();
  }

  void leave(Passage passage) {
    active.remove(passage);
    proxy.underWay().decrement();
  }

  /**
   * Gives the passage a connection, now or later.
   *
   * @param fresh whether it must be a new one
   */
  void acquire(InetSocketAddress address, Passage passage, boolean fresh) {
    assert loop.inEventLoop();
    ToNode node = nodes.computeIfAbsent(address, a -> new ToNode());
    if (!fresh) {
      for (NodeConnection idle = node.idle.pollLast(); idle != null; idle = node.idle.pollLast()) {
        if (idle.usable()) {
          idle.take(passage);
          passage.onConnected(idle, true);
          return;
        }
      }
    }
    if (node.open < proxy.options().maxConnectionsPerNode()) {
      connect(address, node, passage);
    } else if (fresh && !node.idle.isEmpty()) {
      node.idle.pollFirst().close();
      connect(address, node, passage);
    } else if (node.waiting.size() < proxy.options().maxWaitingPerNode()) {
      node.waiting.add(passage);
      proxy.waiting().increment();
    } else {
      passage.onNoRoom(address, node.open, node.waiting.size());
    }
  }

  private void connect(InetSocketAddress address, ToNode node, Passage passage) {
    node.open++;
    proxy.connections().increment();
    NodeConnection connection = new NodeConnection(this, address);
    connection.take(passage);
    SslContext tls = proxy.tls();
    Bootstrap bootstrap =
        new Bootstrap()
            .group(loop)
            .channel(proxy.channelClass())
            .option(ChannelOption.ALLOCATOR, proxy.allocator())
            .option(ChannelOption.TCP_NODELAY, true)
            .option(ChannelOption.SO_KEEPALIVE, true)
            .option(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARK)
            .option(
                ChannelOption.CONNECT_TIMEOUT_MILLIS,
                Math.toIntExact(proxy.options().connectTimeout().toMillis()))
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
            connection.connected(tls != null);
          } else {
            connection.connectFailed(outcome.cause());
          }
        });
  }

  /** A connection is free again: the longest waiting request gets it, or it waits for one. */
  void release(NodeConnection connection) {
    ToNode node = nodes.get(connection.address());
    if (node == null || closed || !connection.usable()) {
      connection.close();
      return;
    }
    Passage next = nextWaiting(node);
    if (next != null) {
      connection.take(next);
      next.onConnected(connection, true);
    } else {
      connection.idleSince(proxy.now());
      node.idle.addLast(connection);
      tickWhileUsed();
    }
  }

  private @Nullable Passage nextWaiting(ToNode node) {
    Passage next = node.waiting.poll();
    if (next != null) {
      proxy.waiting().decrement();
    }
    return next;
  }

  /** A connection is no more. */
  void gone(NodeConnection connection) {
    ToNode node = nodes.get(connection.address());
    if (node == null) {
      return;
    }
    node.open--;
    proxy.connections().decrement();
    node.idle.remove(connection);
    Passage next = nextWaiting(node);
    if (next != null) {
      connect(connection.address(), node, next);
    } else if (node.open == 0) {
      nodes.remove(connection.address());
    }
  }

  /** A request no longer waits for a connection. */
  void stopWaiting(InetSocketAddress address, Passage passage) {
    ToNode node = nodes.get(address);
    if (node != null && node.waiting.remove(passage)) {
      proxy.waiting().decrement();
    }
  }

  void close() {
    closed = true;
    for (ToNode node : List.copyOf(nodes.values())) {
      for (NodeConnection idle : List.copyOf(node.idle)) {
        idle.close();
      }
    }
  }

  private void tickWhileUsed() {
    if (ticking == null) {
      ticking = loop.schedule(this::tick, TICK_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  private void tick() {
    ticking = null;
    long now = proxy.now();
    if (!active.isEmpty()) {
      for (Passage passage : List.copyOf(active)) {
        passage.tick(now);
      }
    }
    long idleNanos = proxy.options().idleTimeout().toNanos();
    boolean anyIdle = false;
    List<NodeConnection> expired = new ArrayList<>();
    for (ToNode node : nodes.values()) {
      anyIdle |= !node.idle.isEmpty();
      for (NodeConnection idle : node.idle) {
        if (now - idle.idleSince() < idleNanos) {
          break;
        }
        expired.add(idle);
      }
    }
    expired.forEach(NodeConnection::close);
    if (!active.isEmpty() || anyIdle) {
      tickWhileUsed();
    }
  }
}
