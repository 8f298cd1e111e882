package dev.weir.http;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A REST endpoint: HTTP/1.1 and HTTP/2, with or without TLS. Its methods may be called on any
 * thread; those that wait say so.
 */
public final class HttpServer implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(HttpServer.class);

  private static final int BACKLOG = 1024;
  private static final WriteBufferWaterMark WATER_MARK =
      new WriteBufferWaterMark(64 << 10, 256 << 10);

  /** How often draining looks whether it is done, in milliseconds. */
  private static final long DRAIN_MILLIS = 50;

  /** For so long connections that are half open may become whole on a shared port. */
  private static final long STEP_ASIDE_MILLIS = 1000;

  private final Front front;
  private final Sockets sockets;
  private final ServerBootstrap bootstrap;
  private final ChannelGroup listening = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
  private final CompletableFuture<Void> drained = new CompletableFuture<>();
  private volatile boolean shared;
  private volatile boolean accepting;

  /**
   * Makes a server that does not listen yet.
   *
   * @param sockets outlive the server
   */
  public HttpServer(HttpOptions options, Sockets sockets, FrontDesk desk) {
    this.front = new Front(options, desk);
    this.sockets = sockets;
    this.bootstrap =
        new ServerBootstrap()
            .group(sockets.acceptors(), sockets.workers())
            .channel(sockets.serverChannel())
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            .option(ChannelOption.SO_REUSEADDR, true)
            .option(ChannelOption.ALLOCATOR, sockets.allocator())
            .childOption(ChannelOption.ALLOCATOR, sockets.allocator())
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.SO_KEEPALIVE, true)
            .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARK)
            .childHandler(new Pipelines(front));
  }

  /**
   * Starts to listen; may be called for several addresses. Waits for the operating system.
   *
   * @return the address with the port that was taken, if the port asked for was 0
   * @throws IOException when the address can't be bound
   */
  public InetSocketAddress bind(InetSocketAddress address) throws IOException {
    var bound = bootstrap.bind(address).awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw new IOException(
          "got " + address + ": " + bound.cause().getMessage() + " (expected: free to listen on)",
          bound.cause());
    }
    Channel channel = bound.channel();
    listening.add(channel);
    return (InetSocketAddress) channel.localAddress();
  }

  /**
   * Starts to listen on a port that other processes of the same user listen on too, or may. Waits
   * for the operating system.
   *
   * @throws IOException when the address can't be bound, or ports can't be shared here
   */
  public InetSocketAddress bindShared(InetSocketAddress address) throws IOException {
    if (!SharedPort.isFor(sockets.serverChannel())) {
      throw new IOException("got no epoll here (expected: Linux, where ports can be shared)");
    }
    List<Channel> bound = SharedPort.bind(bootstrap, address);
    shared = true;
    accepting = true;
    listening.addAll(bound);
    return (InetSocketAddress) bound.getFirst().localAddress();
  }

  /**
   * Lets other processes that listen on the same port have the connections that come from now on;
   * goes on to accept what comes all the same. Where the port is not shared it does nothing.
   */
  public void stepAside() {
    if (shared) {
      listening.forEach(SharedPort::stepAside);
    }
  }

  /** Connections open now. */
  public int connections() {
    return front.open();
  }

  /**
   * Stops accepting, lets requests under way finish, tells clients to go elsewhere ({@code
   * Connection: close}, GOAWAY), and closes what is left at the deadline. The first call counts.
   *
   * @return completes when no connection is left
   */
  public CompletionStage<Void> drain(Duration deadline) {
    if (!front.draining()) {
      front.startDraining();
      long endNanos = front.now() + deadline.toNanos();
      LOG.info("draining {} connections within {}", front.open(), deadline);
      stopListening(deadline);
      for (LoopConnections loop : front.loops()) {
        loop.loop().execute(loop::drainAll);
      }
      awaitDrained(endNanos, false);
    }
    return drained;
  }

  private void stopListening(Duration atMost) {
    if (!shared || atMost.isZero()) {
      accepting = false;
      listening.close();
      return;
    }
    stepAside();
    GlobalEventExecutor.INSTANCE.schedule(
        () -> {
          for (Channel channel : List.copyOf(listening)) {
            channel.eventLoop().execute(() -> SharedPort.takeAllAndClose(channel));
          }
        },
        Math.min(STEP_ASIDE_MILLIS, atMost.toMillis()),
        TimeUnit.MILLISECONDS);
  }

  private void awaitDrained(long endNanos, boolean forced) {
    if (accepting && listening.isEmpty()) {
      accepting = false; // what was taken last is counted by the next time
    } else if (front.open() == 0 && !accepting) {
      drained.complete(null);
      return;
    }
    boolean late = front.now() - endNanos >= 0;
    if (late) {
      accepting = false;
      listening.close();
    }
    for (LoopConnections loop : front.loops()) {
      loop.loop().execute(late ? loop::closeAll : loop::tendAll);
    }
    if (late && !forced) {
      LOG.info("closing {} connections that did not finish in time", front.open());
    }
    GlobalEventExecutor.INSTANCE.schedule(
        () -> awaitDrained(endNanos, late), DRAIN_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** Stops at once; waits until the last connection is closed. */
  @Override
  public void close() {
    drain(Duration.ZERO).toCompletableFuture().join();
  }
}
