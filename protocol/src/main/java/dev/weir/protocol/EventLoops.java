package dev.weir.protocol;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.channel.uring.IoUringSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * The fixed group of event loops that all sockets of the gateway live on, towards clients and
 * towards nodes. One thread a loop; immutable and safe on any thread.
 */
public final class EventLoops implements AutoCloseable {
  /** How sockets are polled. */
  public enum IoTransport {
    /** Epoll where it is there, else NIO. */
    AUTO,
    /** Linux epoll. */
    EPOLL,
    /** Linux io_uring. */
    IO_URING,
    /** The JDK's selector. */
    NIO
  }

  /** Pages to the power of two in a chunk: 64, half a megabyte. */
  private static final int CHUNK_ORDER = 6;

  /**
   * Pools memory in chunks that are small beside the regions of a small heap: an array of over half
   * a region takes whole regions, and a pool of such chunks twice of what is in use. What is larger
   * than a chunk has an array of its own.
   */
  private static final ByteBufAllocator DEFAULT_ALLOCATOR =
      new PooledByteBufAllocator(
          true,
          PooledByteBufAllocator.defaultNumHeapArena(),
          PooledByteBufAllocator.defaultNumDirectArena(),
          PooledByteBufAllocator.defaultPageSize(),
          CHUNK_ORDER,
          PooledByteBufAllocator.defaultSmallCacheSize(),
          PooledByteBufAllocator.defaultNormalCacheSize(),
          PooledByteBufAllocator.defaultUseCacheForAllThreads());

  private final IoTransport io;
  private final EventLoopGroup group;
  private final List<EventLoop> loops;
  private final IdentityHashMap<Executor, Integer> indexes;
  private final ByteBufAllocator allocator;

  private EventLoops(IoTransport io, EventLoopGroup group, ByteBufAllocator allocator) {
    this.io = io;
    this.group = group;
    this.allocator = allocator;
    List<EventLoop> all = new ArrayList<>();
    this.indexes = new IdentityHashMap<>();
    for (EventExecutor executor : group) {
      indexes.put(executor, all.size());
      all.add((EventLoop) executor);
    }
    this.loops = List.copyOf(all);
  }

  /** Starts a group that polls as {@link IoTransport#AUTO} says. */
  public static EventLoops start(int threads) {
    return start(threads, IoTransport.AUTO, DEFAULT_ALLOCATOR);
  }

  /**
   * Starts a group.
   *
   * @param threads how many loops, at least one
   * @param wanted how to poll; refused when this machine can't
   * @param allocator gives the memory of all channels and frames
   */
  public static EventLoops start(int threads, IoTransport wanted, ByteBufAllocator allocator) {
    if (threads < 1) {
      throw new IllegalArgumentException("got " + threads + " event loops (expected: at least 1)");
    }
    IoTransport io = wanted == IoTransport.AUTO ? detectBest() : wanted;
    IoHandlerFactory factory =
        switch (io) {
          case EPOLL -> {
            Epoll.ensureAvailability();
            yield EpollIoHandler.newFactory();
          }
          case IO_URING -> {
            IoUring.ensureAvailability();
            yield IoUringIoHandler.newFactory();
          }
          case NIO, AUTO -> NioIoHandler.newFactory();
        };
    return new EventLoops(
        io,
        new MultiThreadIoEventLoopGroup(
            threads, new DefaultThreadFactory("weir-loop", true), factory),
        allocator);
  }

  private static IoTransport detectBest() {
    return Epoll.isAvailable() ? IoTransport.EPOLL : IoTransport.NIO;
  }

  /** How sockets are polled; never {@link IoTransport#AUTO}. */
  public IoTransport io() {
    return io;
  }

  /** The loops as Netty's group. */
  public EventLoopGroup group() {
    return group;
  }

  /** How many loops there are. */
  public int size() {
    return loops.size();
  }

  /** The loop of an index in {@code [0, size)}. */
  public EventLoop loop(int index) {
    return loops.get(index);
  }

  /** The index of a loop, or -1 when {@code executor} is none of these loops. */
  public int indexOf(Executor executor) {
    Integer index = indexes.get(executor);
    return index == null ? -1 : index;
  }

  /** The class of sockets that connect. */
  public Class<? extends SocketChannel> socketChannel() {
    return switch (io) {
      case EPOLL -> EpollSocketChannel.class;
      case IO_URING -> IoUringSocketChannel.class;
      case NIO, AUTO -> NioSocketChannel.class;
    };
  }

  /** The class of sockets that listen. */
  public Class<? extends ServerSocketChannel> serverSocketChannel() {
    return switch (io) {
      case EPOLL -> EpollServerSocketChannel.class;
      case IO_URING -> IoUringServerSocketChannel.class;
      case NIO, AUTO -> NioServerSocketChannel.class;
    };
  }

  /** Gives the memory of all channels and frames. */
  public ByteBufAllocator allocator() {
    return allocator;
  }

  /** Stops the loops: tasks that come within {@code quiet} of one another still run. */
  public void shutdown(Duration quiet, Duration atMost) {
    group.shutdownGracefully(quiet.toMillis(), atMost.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Stops the loops and waits for their threads, at most five seconds. Not for a loop's thread. */
  @Override
  public void close() {
    shutdown(Duration.ZERO, Duration.ofSeconds(5));
    group.terminationFuture().awaitUninterruptibly(5, TimeUnit.SECONDS);
  }
}
