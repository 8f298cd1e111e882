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
  final Shared shared;
  final TimeoutWheel timeouts;
  final Backoff backoff;
  private final FrameOutput output;
  private boolean outputTaken;
  private final Inflater inflater = new Inflater(true);

  /**
   * What all loops share. Immutable or safe on any thread.
   *
   * @param registry reads named payloads
   * @param options how nodes are talked to
   * @param held counts and pays for received frames
   * @param unsent bounds what waits for sockets
   * @param allocator gives memory for frames in and out
   * @param arrays gives that of large frames in
   */
  record Shared(
      NamedWriteableRegistry registry,
      TransportOptions options,
      HeldFrames held,
      UnsentBytes unsent,
      ByteBufAllocator allocator,
      FrameArrays arrays) {

    /** An empty buffer for a received frame, with an array behind it and room for so many bytes. */
    ByteBuf room(int bytes) {
      return FrameArrays.isFor(bytes)
          ? arrays.buffer(bytes, allocator)
          : allocator.heapBuffer(bytes, bytes);
    }
  }

  LoopContext(
      EventLoop loop,
      Class<? extends SocketChannel> socketChannel,
      Shared shared,
      RandomGenerator random) {
    this.loop = loop;
    this.socketChannel = socketChannel;
    this.shared = shared;
    this.timeouts = new TimeoutWheel(loop);
    TransportOptions.Timing timing = shared.options().timing();
    this.backoff = new Backoff(timing.backoffFirst(), timing.backoffMost(), random);
    this.output = new FrameOutput(shared.allocator(), shared.options().limits().maxFrameBytes());
  }

  TransportOptions options() {
    return shared.options();
  }

  /** An empty output; one that is taken while another is, is not pooled. */
  FrameOutput takeOutput() {
    if (outputTaken) {
      return new FrameOutput(shared.allocator(), options().limits().maxFrameBytes());
    }
    outputTaken = true;
    return output;
  }

  /** Takes an output back, emptied. */
  @SuppressWarnings("ReferenceEquality") // an output is itself only
  void giveBack(FrameOutput taken) {
    if (taken == output) {
      outputTaken = false;
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
