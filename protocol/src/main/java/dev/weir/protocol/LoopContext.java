package dev.weir.protocol;

import dev.weir.protocol.compression.ZstdPayloads;
import dev.weir.protocol.outbound.UnsentBytesLimiter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.SocketChannel;
import java.util.random.RandomGenerator;
import java.util.zip.Inflater;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;

/**
 * The resources that all channels of one event loop share: timeouts, output, inflater. Confined to
 * the event loop.
 */
final class LoopContext {
  final EventLoop loop;
  final Class<? extends SocketChannel> socketChannel;
  final SharedResources shared;
  final TimeoutWheel timeouts;
  final HeaderEncoder headers = new HeaderEncoder();
  private final Backoff backoff;
  private final RandomGenerator random;
  private final FrameStreamOutput output;
  private boolean isOutputTaken;
  private final Inflater inflater = new Inflater(true);
  final ZstdPayloads zstd = new ZstdPayloads();

  /**
   * The resources that all event loops share. Immutable or safe on any thread.
   *
   * @param registry reads named payloads
   * @param options the transport's options
   * @param heldFrames counts received frames and reserves their memory
   * @param unsentBytes bounds the bytes that wait for sockets
   * @param allocator allocates frames in both directions
   * @param arrayPool provides the arrays of large received frames
   */
  record SharedResources(
      NamedWriteableRegistry registry,
      TransportOptions options,
      CountingFrameBudget heldFrames,
      UnsentBytesLimiter unsentBytes,
      ByteBufAllocator allocator,
      FrameArrayPool arrayPool) {

    /** Allocates an empty buffer for a received frame, with this capacity in an array. */
    ByteBuf allocate(int bytes) {
      return FrameArrayPool.shouldPool(bytes)
          ? arrayPool.allocate(bytes, allocator)
          : allocator.heapBuffer(bytes, bytes);
    }
  }

  LoopContext(
      EventLoop loop,
      Class<? extends SocketChannel> socketChannel,
      SharedResources shared,
      RandomGenerator random) {
    this.loop = loop;
    this.socketChannel = socketChannel;
    this.shared = shared;
    this.timeouts = new TimeoutWheel(loop);
    TransportOptions.Timing timing = shared.options().timing();
    this.backoff = new Backoff(timing.initialBackoff(), 2, timing.maxBackoff());
    this.random = random;
    this.output =
        new FrameStreamOutput(shared.allocator(), shared.options().limits().maxFrameBytes());
  }

  TransportOptions options() {
    return shared.options();
  }

  /**
   * Returns the delay before the next attempt to connect after a number of consecutive failures.
   */
  long reconnectDelayNanos(int failures) {
    return backoff.jitteredDelayNanos(failures, random);
  }

  /** Returns an empty output; while the event loop's own is in use, this is a temporary one. */
  FrameStreamOutput takeOutput() {
    if (isOutputTaken) {
      return new FrameStreamOutput(shared.allocator(), options().limits().maxFrameBytes());
    }
    isOutputTaken = true;
    return output;
  }

  /** Returns an output after use. */
  @SuppressWarnings("ReferenceEquality") // outputs have identity
  void returnOutput(FrameStreamOutput taken) {
    if (taken == output) {
      isOutputTaken = false;
    } else {
      taken.close();
    }
  }

  /** Returns the inflater, ready for a new stream. */
  Inflater inflater() {
    inflater.reset();
    return inflater;
  }

  /** Frees the memory outside of the heap. */
  void close() {
    output.close();
    inflater.end();
    zstd.close();
  }
}
