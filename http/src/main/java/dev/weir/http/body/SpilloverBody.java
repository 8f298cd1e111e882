package dev.weir.http.body;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.handler.codec.compression.DecompressionException;
import io.netty.handler.codec.compression.Decompressor;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * A body that exceeded the buffer, on its way to a node: sends what was buffered, then the rest as
 * it arrives, no faster than the node takes it. Owned by the exchange's response, which calls
 * {@link #discard} at the end. Confined to its event loop.
 */
public final class SpilloverBody implements BodySink {
  /**
   * The buffered part is sent in chunks of this size, in bytes, so that the node's backpressure
   * applies.
   */
  private static final int CHUNK_SIZE = 64 << 10;

  /**
   * <pre>
   *   RECEIVING --last piece--> RECEIVED --all sent--> CLOSED
   *        `-------failure, or discarded--------------^
   * </pre>
   */
  private enum State {
    /** The client has more of the body to send. */
    RECEIVING,
    /** All of the body has arrived, and some of it has not been sent. */
    RECEIVED,
    CLOSED
  }

  private final AccountedBuffer buffer;
  private final BodyFailureListener listener;
  private final ArrayDeque<ByteBuf> waiting = new ArrayDeque<>(2);
  private @Nullable ByteBuf buffered;
  private @Nullable ByteBuf decoded;
  private @Nullable Decompressor decoder;
  private @Nullable BodyTransformer transformer;
  private ByteBufAllocator allocator = UnpooledByteBufAllocator.DEFAULT;
  private @Nullable BodySink upstream;
  private State state = State.RECEIVING;

  private boolean paused;

  /** Whether the body goes on as the client sends it, from its first byte. */
  private boolean verbatim;

  /** Prevents reentrant pumping: sending a chunk may deliver the next one. */
  private boolean pumping;

  /**
   * Creates a body.
   *
   * @param buffered what was buffered; owned
   * @param decoder for the rest, with its buffered input; owned; null when the rest goes on as
   *     received
   * @param decoded the decoder's output beyond what was buffered; borrowed
   */
  SpilloverBody(
      AccountedBuffer buffered,
      @Nullable Decompressor decoder,
      @Nullable ByteBuf decoded,
      BodyFailureListener listener) {
    this.buffer = buffered;
    this.buffered = buffered.buffer();
    this.decoder = decoder;
    this.decoded = decoded == null ? null : decoded.retainedSlice();
    this.listener = listener;
  }

  /**
   * Creates a body of which nothing has arrived, to be transformed on its way.
   *
   * @param headers the request's; changed to describe the transformed body
   */
  public static SpilloverBody ofTransformed(
      HttpHeaders headers,
      ByteBufAllocator allocator,
      BodyBudget budget,
      BodyTransformer transformer,
      BodyFailureListener listener) {
    Decompressor decoder = DecompressorFactory.newDecompressor(headers, allocator);
    headers.remove(HttpHeaderNames.TRANSFER_ENCODING); // may name the content coding too
    return new SpilloverBody(new AccountedBuffer(budget), decoder, null, listener)
        .withTransformer(transformer, headers, allocator);
  }

  /** Creates a body of which nothing has arrived, to be sent on as it arrives. */
  public static SpilloverBody ofGathered(BodyFailureListener listener) {
    SpilloverBody body =
        new SpilloverBody(new AccountedBuffer(BodyBudget.NONE), null, null, listener);
    body.verbatim = true;
    return body;
  }

  /** Returns whether the body goes on as the client sends it, from its first byte. */
  public boolean isVerbatim() {
    return verbatim;
  }

  /** Keeps what has arrived for another {@link #attach}: none of it was sent. */
  public void detach() {
    upstream = null;
    paused = false;
  }

  /** Transforms the whole body, including what was buffered. Its length is unknown from now on. */
  public SpilloverBody withTransformer(
      BodyTransformer by, HttpHeaders headers, ByteBufAllocator buffers) {
    transformer = by;
    allocator = buffers;
    headers.remove(HttpHeaderNames.CONTENT_LENGTH);
    return this;
  }

  /** Starts sending to the node. */
  public void attach(BodySink opened) {
    upstream = opened;
    pump();
  }

  /** Stops sending: the node takes no more for now. */
  public void pause() {
    paused = true;
  }

  /**
   * Resumes sending to the node.
   *
   * @return whether the client may send more
   */
  public boolean resume() {
    paused = false;
    pump();
    return !paused;
  }

  @Override
  public void acceptContent(ByteBuf piece) {
    if (state != State.CLOSED) {
      waiting.add(piece.retainedSlice());
      pump();
    }
  }

  @Override
  public void complete() {
    if (state == State.RECEIVING) {
      state = State.RECEIVED;
    }
    pump();
  }

  private void pump() {
    BodySink to = upstream;
    if (to == null || pumping) {
      return;
    }
    pumping = true;
    try {
      while (!paused && state != State.CLOSED) {
        ByteBuf next = next();
        if (next == null) {
          if (state == State.RECEIVED) {
            end(to);
          }
          return;
        }
        try {
          to.acceptContent(next);
        } finally {
          next.release();
        }
      }
    } catch (DecompressionException e) {
      discard();
      listener.onCorrupt(e);
    } catch (Throwable e) { // such as an OutOfMemoryError: nothing else would end the request
      discard();
      listener.onProcessingFailure(e);
    } finally {
      pumping = false;
    }
  }

  private void end(BodySink to) {
    if (transformer != null) {
      ByteBuf last = allocator.buffer();
      try {
        transformer.finish(last);
        to.acceptContent(last);
      } finally {
        last.release();
      }
    }
    discard();
    to.complete();
  }

  /** Returns the next chunk for the node; null when the client has to send more. */
  private @Nullable ByteBuf next() {
    ByteBuf piece = nextDecoded();
    return transformer == null || piece == null
        ? piece
        : TransformingDecompressor.transform(transformer, piece, allocator);
  }

  private @Nullable ByteBuf nextDecoded() {
    ByteBuf begin = buffered;
    if (begin != null) {
      if (begin.isReadable()) {
        return begin.readRetainedSlice(Math.min(CHUNK_SIZE, begin.readableBytes()));
      }
      releaseSent(begin);
    }
    ByteBuf first = decoded;
    if (first != null) {
      decoded = null;
      return first;
    }
    return DecompressorFactory.nextOutput(decoder, waiting);
  }

  private void releaseSent(ByteBuf sent) {
    buffered = null;
    sent.release();
    buffer.leaveToGarbageCollector(); // the node's connection may still write parts of it
  }

  /** Releases the body; drops what still arrives. */
  public void discard() {
    state = State.CLOSED;
    if (buffered != null) {
      releaseSent(buffered);
    }
    if (decoded != null) {
      decoded.release();
      decoded = null;
    }
    if (decoder != null) {
      decoder.close();
      decoder = null;
    }
    for (ByteBuf piece = waiting.poll(); piece != null; piece = waiting.poll()) {
      piece.release();
    }
  }
}
