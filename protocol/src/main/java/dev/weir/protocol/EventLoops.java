package dev.weir.protocol;

import dev.weir.protocol.loop.LoopAllocator;
import dev.weir.protocol.loop.LoopLoadSampler;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SingleThreadIoEventLoop;
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
import io.netty.util.concurrent.RejectedExecutionHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * The fixed group of event loops for all sockets of the gateway, to clients and to nodes. One
 * thread for each event loop; immutable and safe on any thread.
 */
public final class EventLoops implements AutoCloseable {
  /** The system interface for sockets. */
  public enum IoTransport {
    /** Epoll where it is available, otherwise NIO. */
    AUTO,
    /** Linux epoll. */
    EPOLL,
    /** Linux io_uring. */
    IO_URING,
    /** The JDK's selector. */
    NIO
  }

  /**
   * For how long tasks run while sockets wait. Netty's default is a second; a request that reads
   * from its client and from a node would wait as long each time behind a crowd of tasks.
   */
  private static final long MAX_TASKS_MILLIS = 10;

  /** How long a loop is not needed before it is left out: half a minute. */
  private static final int IDLE_SAMPLES = (int) (30_000 / LoopLoadSampler.PERIOD_MILLIS);

  /** The power of two of the pages in a chunk: 64 pages, half a megabyte. */
  private static final int CHUNK_ORDER = 6;

  /**
   * The pool's chunks are small compared with the regions of a small heap: an array of more than
   * half a region takes whole regions, so that a pool of larger chunks would take twice its
   * content. A buffer larger than a chunk has its own array.
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
  private final LoopAllocator loopAllocator;

  private EventLoops(IoTransport io, FairEventLoopGroup group, ByteBufAllocator allocator) {
    this.io = io;
    this.group = group;
    this.allocator = allocator;
    this.loopAllocator = group.loopAllocator;
    List<EventLoop> all = new ArrayList<>();
    this.indexes = new IdentityHashMap<>();
    for (EventExecutor executor : group) {
      indexes.put(executor, all.size());
      all.add((EventLoop) executor);
    }
    this.loops = List.copyOf(all);
    group.setLoops(loops);
    LoopLoadSampler.start(loops, loopAllocator);
  }

  /** Starts a group with {@link IoTransport#AUTO}. */
  public static EventLoops start(int threads) {
    return start(threads, IoTransport.AUTO, DEFAULT_ALLOCATOR);
  }

  /**
   * Starts a group.
   *
   * @param threads the number of event loops, at least one
   * @param wanted the system interface; fails if this machine does not support it
   * @param allocator allocates the memory of all channels and frames
   */
  public static EventLoops start(int threads, IoTransport wanted, ByteBufAllocator allocator) {
    return start(threads, wanted, allocator, IDLE_SAMPLES);
  }

  static EventLoops start(
      int threads, IoTransport wanted, ByteBufAllocator allocator, int idleSamples) {
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
    return new EventLoops(io, new FairEventLoopGroup(threads, factory, idleSamples), allocator);
  }

  /**
   * Event loops that turn to their sockets after some milliseconds of tasks at most. New
   * connections get as few of them as carry the load.
   */
  private static final class FairEventLoopGroup extends MultiThreadIoEventLoopGroup {
    private final LoopAllocator loopAllocator;
    private List<EventLoop> loops = List.of();

    FairEventLoopGroup(int threads, IoHandlerFactory factory, int idleSamples) {
      super(threads, new DefaultThreadFactory("weir-loop", true), factory);
      this.loopAllocator = new LoopAllocator(threads, idleSamples);
    }

    /** Called once, before there are connections. */
    void setLoops(List<EventLoop> all) {
      loops = all;
    }

    @Override
    public IoEventLoop next() {
      return loops.isEmpty() ? super.next() : (IoEventLoop) loops.get(loopAllocator.next());
    }

    @Override
    protected IoEventLoop newChild(Executor thread, IoHandlerFactory factory, Object... none) {
      return new SingleThreadIoEventLoop(
          this,
          thread,
          factory,
          Integer.MAX_VALUE,
          RejectedExecutionHandlers.reject(),
          MAX_TASKS_MILLIS);
    }
  }

  private static IoTransport detectBest() {
    return Epoll.isAvailable() ? IoTransport.EPOLL : IoTransport.NIO;
  }

  /** Returns the interface in use; never {@link IoTransport#AUTO}. */
  public IoTransport io() {
    return io;
  }

  /** Returns the event loops as Netty's group. */
  public EventLoopGroup group() {
    return group;
  }

  public int size() {
    return loops.size();
  }

  /** Returns the event loop with an index in {@code [0, size)}. */
  public EventLoop loop(int index) {
    return loops.get(index);
  }

  /** Returns the index of an event loop, or -1 if {@code executor} is none of these. */
  public int indexOf(Executor executor) {
    Integer index = indexes.get(executor);
    return index == null ? -1 : index;
  }

  /** Returns how many loops get new connections; the others had too little to do. */
  public int loopsInUse() {
    return loopAllocator.loopsInUse();
  }

  /**
   * Returns whether a client's connection on this loop should be closed after its response, so that
   * the client opens another one on a loop that is less busy or serves more others. True for few
   * connections at a time.
   */
  public boolean tryMoveAway(EventLoop loop) {
    int index = indexOf(loop);
    return index >= 0 && loopAllocator.tryMoveAway(index);
  }

  /** Returns the class of client sockets. */
  public Class<? extends SocketChannel> socketChannel() {
    return switch (io) {
      case EPOLL -> EpollSocketChannel.class;
      case IO_URING -> IoUringSocketChannel.class;
      case NIO, AUTO -> NioSocketChannel.class;
    };
  }

  /** Returns the class of server sockets. */
  public Class<? extends ServerSocketChannel> serverSocketChannel() {
    return switch (io) {
      case EPOLL -> EpollServerSocketChannel.class;
      case IO_URING -> IoUringServerSocketChannel.class;
      case NIO, AUTO -> NioServerSocketChannel.class;
    };
  }

  /** Returns the allocator of all channels and frames. */
  public ByteBufAllocator allocator() {
    return allocator;
  }

  /** Stops the event loops; tasks that arrive within {@code quiet} of one another still run. */
  public void shutdown(Duration quiet, Duration atMost) {
    group.shutdownGracefully(quiet.toMillis(), atMost.toMillis(), TimeUnit.MILLISECONDS);
  }

  /**
   * Stops the event loops and waits up to five seconds for their threads. Do not call it on an
   * event loop.
   */
  @Override
  public void close() {
    shutdown(Duration.ZERO, Duration.ofSeconds(5));
    group.terminationFuture().awaitUninterruptibly(5, TimeUnit.SECONDS);
  }
}
