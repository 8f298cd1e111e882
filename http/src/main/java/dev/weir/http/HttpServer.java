package dev.weir.http;

import dev.weir.http.body.BodyArrayTrimmer;
import dev.weir.http.connection.ConnectionCounts;
import dev.weir.http.connection.EventLoopConnections;
import dev.weir.http.connection.ServerContext;
import dev.weir.http.exchange.ClientExchange;
import dev.weir.http.intake.RequestEnvironment;
import dev.weir.http.options.HttpOptions;
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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves clients over HTTP/1.1 and HTTP/2, with or without TLS. Its methods are safe on any thread;
 * a method that blocks says so.
 */
public final class HttpServer implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(HttpServer.class);
  private static final Duration TRIM_INTERVAL = Duration.ofSeconds(10);

  private static final int BACKLOG = 1024;
  private static final WriteBufferWaterMark WATER_MARK =
      new WriteBufferWaterMark(64 << 10, 256 << 10);

  /** Interval between checks whether draining is complete, in milliseconds. */
  private static final long DRAIN_POLL_MILLIS = 50;

  /**
   * How long a shared port goes on accepting after it was yielded, in milliseconds: TCP handshakes
   * may still be under way.
   */
  private static final long HANDOVER_MILLIS = 1000;

  private final ServerContext context;
  private final ServerEventLoops eventLoops;
  private final BodyArrayTrimmer arrayTrimmer;
  private final ServerBootstrap bootstrap;
  private final ChannelGroup listeners = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
  private @Nullable Drain drain;
  private volatile boolean shared;
  private volatile boolean accepting;

  /** A drain under way. Guarded by its server's monitor. */
  private static final class Drain {
    final CompletableFuture<Void> done = new CompletableFuture<>();

    /** The deadline, by the server's clock. Only ever brought forward. */
    long endNanos;

    Drain(long endNanos) {
      this.endNanos = endNanos;
    }
  }

  /**
   * Creates a server that does not listen yet.
   *
   * @param sockets the event loops; they outlive the server
   */
  public HttpServer(HttpOptions options, ServerEventLoops sockets, RequestEnvironment environment) {
    this.context = newContext(options, environment);
    this.context.setMoveAway(sockets.moveAway());
    this.eventLoops = sockets;
    this.arrayTrimmer = new BodyArrayTrimmer(sockets.workers(), TRIM_INTERVAL);
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
            .childHandler(new ServerChannelInitializer(context));
  }

  static ServerContext newContext(HttpOptions options, RequestEnvironment environment) {
    return new ServerContext(
        options,
        environment.bodyBudget(),
        environment.nanoClock(),
        (connection, request, startedNanos) ->
            new ClientExchange(connection, request, startedNanos, environment));
  }

  /**
   * Starts listening on an address; may be called for several addresses. Blocks while the operating
   * system binds.
   *
   * @return the bound address, whose port differs from the one asked for if that was 0
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
    listeners.add(channel);
    return (InetSocketAddress) channel.localAddress();
  }

  /**
   * Starts listening on a port that other processes of the same user may share (SO_REUSEPORT).
   * Blocks while the operating system binds.
   *
   * @throws IOException when the address can't be bound, or this system can't share ports
   */
  public InetSocketAddress bindShared(InetSocketAddress address) throws IOException {
    if (!ReusePortBinder.isSupported(eventLoops.serverChannel())) {
      throw new IOException("got no epoll here (expected: Linux, where ports can be shared)");
    }
    List<Channel> bound = ReusePortBinder.bind(bootstrap, address);
    shared = true;
    accepting = true;
    listeners.addAll(bound);
    return (InetSocketAddress) bound.getFirst().localAddress();
  }

  /**
   * Lets other processes on the same port receive new connections. The server still accepts those
   * that reach it. Does nothing when the port is not shared.
   */
  public void yieldPort() {
    if (shared) {
      listeners.forEach(ReusePortBinder::yieldConnections);
    }
  }

  /**
   * Makes room for responses: closes the connections of the slowest readers, one of each event
   * loop. Call when a response lacked memory.
   */
  public void evictSlowReaders() {
    context.evictSlowReaders();
  }

  /** Returns the counts of refused and closed connections. */
  public ConnectionCounts counts() {
    return context.counts();
  }

  /** Returns the number of open client connections. */
  public int openConnections() {
    return context.openConnections();
  }

  /**
   * Drains the server: stops accepting, lets requests in flight finish, tells clients to reconnect
   * elsewhere ({@code Connection: close}, GOAWAY), and closes the remaining connections at the
   * deadline. A later call can only bring the deadline forward.
   *
   * @return completes when no connection is open
   */
  public synchronized CompletionStage<Void> drain(Duration deadline) {
    long endNanos = context.nanoTime() + deadline.toNanos();
    Drain current = drain;
    if (current != null) {
      if (endNanos - current.endNanos < 0) {
        current.endNanos = endNanos; // the next check, within DRAIN_POLL_MILLIS, sees it
      }
      return current.done;
    }
    Drain started = new Drain(endNanos);
    drain = started;
    context.startDraining();
    LOG.info("draining {} connections within {}", context.openConnections(), deadline);
    stopListening(deadline);
    for (EventLoopConnections loop : context.eventLoops()) {
      loop.eventLoop().execute(loop::drainAll);
    }
    awaitDrained(started, false);
    return started.done;
  }

  /**
   * Ends a drain, finished or not: the server keeps open connections open again. Closes the sockets
   * that it has yielded or that a drain would close, so that the caller can bind the address again.
   * Blocks until they are closed.
   */
  public synchronized void resume() {
    Drain ended = drain;
    if (ended == null && !shared) {
      return;
    }
    drain = null;
    context.stopDraining();
    for (Channel channel : List.copyOf(listeners)) {
      if (shared) {
        channel.eventLoop().execute(() -> ReusePortBinder.acceptAllAndClose(channel));
        channel.closeFuture().awaitUninterruptibly();
      }
    }
    listeners.close().awaitUninterruptibly();
    if (ended != null) {
      ended.done.complete(null);
    }
  }

  /** Returns whether the server accepts connections. */
  public boolean isListening() {
    return !listeners.isEmpty();
  }

  private void stopListening(Duration atMost) {
    if (!shared || atMost.isZero()) {
      accepting = false;
      listeners.close();
      return;
    }
    yieldPort();
    List<Channel> yielded = List.copyOf(listeners);
    GlobalEventExecutor.INSTANCE.schedule(
        () -> {
          for (Channel channel : yielded) {
            channel.eventLoop().execute(() -> ReusePortBinder.acceptAllAndClose(channel));
          }
        },
        Math.min(HANDOVER_MILLIS, atMost.toMillis()),
        TimeUnit.MILLISECONDS);
  }

  private synchronized void awaitDrained(Drain current, boolean forced) {
    if (current.done.isDone()) {
      return; // resumed meanwhile
    }
    if (accepting && listeners.isEmpty()) {
      accepting = false; // the next poll counts the connections accepted last
    } else if (context.openConnections() == 0 && !accepting) {
      current.done.complete(null);
      return;
    }
    boolean late = context.nanoTime() - current.endNanos >= 0;
    if (late) {
      accepting = false;
      listeners.close();
    }
    for (EventLoopConnections loop : context.eventLoops()) {
      loop.eventLoop().execute(late ? loop::closeAll : loop::checkAll);
    }
    if (late && !forced) {
      LOG.info("closing {} connections that did not finish in time", context.openConnections());
    }
    GlobalEventExecutor.INSTANCE.schedule(
        () -> awaitDrained(current, late), DRAIN_POLL_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** Closes all connections at once. Blocks until the last one is closed. */
  @Override
  public void close() {
    drain(Duration.ZERO).toCompletableFuture().join();
    arrayTrimmer.close();
  }
}
