package dev.weir.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.SocketChannel;
import java.util.random.RandomGenerator;
import java.util.zip.Inflater;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;

/**
 * What all channels of one event loop share: its timeouts, its output, its inflater. Confined to
 * the loop.
 */
final class LoopContext {
  final EventLoop loop;
  final Class<? extends SocketChannel> socketChannel;
  final SharedResources shared;
  final TimeoutWheel timeouts;
  private final Backoff backoff;
  private final RandomGenerator random;
  private final FrameStreamOutput output;
  private boolean isOutputTaken;
  private final Inflater inflater = new Inflater(true);

  /**
   * What all loops share. Immutable or safe on any thread.
   *
   * @param registry reads named payloads
   * @param options how nodes are talked to
   * @param heldFrames counts and pays for received frames
   * @param unsentBytes bounds what waits for sockets
   * @param allocator gives memory for frames in and out
   * @param arrayPool gives that of large frames in
   */
  record SharedResources(
      NamedWriteableRegistry registry,
      TransportOptions options,
      CountingFrameBudget heldFrames,
      UnsentBytesLimiter unsentBytes,
      ByteBufAllocator allocator,
      FrameArrayPool arrayPool) {

    /** An empty buffer for a received frame, with an array behind it and room for so many bytes. */
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

  /** How long to wait before connecting again after so many failures in a row. */
  long reconnectDelayNanos(int failures) {
    return backoff.jitteredDelayNanos(failures, random);
  }

  /** An empty output; one that is taken while another is, is not pooled. */
  FrameStreamOutput takeOutput() {
    if (isOutputTaken) {
      return new FrameStreamOutput(shared.allocator(), options().limits().maxFrameBytes());
    }
    isOutputTaken = true;
    return output;
  }

  /** Takes an output back, emptied. */
  @SuppressWarnings("ReferenceEquality") // an output is itself only
  void returnOutput(FrameStreamOutput taken) {
    if (taken == output) {
      isOutputTaken = false;
    } else {
      taken.close();
    }
  }

  /** The inflater, ready for a new stream. */
  Inflater inflater() {
    inflater.reset();
    return inflater;
  }

  /** Frees what is held outside the heap. */
  void close() {
    output.close();
    inflater.end();
  }
}
