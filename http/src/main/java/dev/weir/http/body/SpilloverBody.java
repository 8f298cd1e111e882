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
 * A body that outgrew what may be gathered, on its way to a node: first what was gathered, then the
 * rest as it comes, no faster than the node takes it. Owned by its exchange's answer, which calls
 * {@link #discard} at the end. Confined to its event loop.
 */
public final class SpilloverBody implements BodySink {
  /** What was gathered goes in pieces of this size, so that the node's pace is heeded. */
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

  /** The node takes no more for now. */
  private boolean paused;

  /** Guards against re-entry: what a piece causes may deliver the next one. */
  private boolean pumping;

  /**
   * Makes a body.
   *
   * @param paid what was gathered; owned
   * @param decoder for what comes, with what it has taken in already; owned; null when it goes on
   *     as it comes
   * @param decoded what the decoder gave besides what was gathered; borrowed
   */
  SpilloverBody(
      AccountedBuffer paid,
      @Nullable Decompressor decoder,
      @Nullable ByteBuf decoded,
      BodyFailureListener listener) {
    this.buffer = paid;
    this.buffered = paid.buffer();
    this.decoder = decoder;
    this.decoded = decoded == null ? null : decoded.retainedSlice();
    this.listener = listener;
  }

  /**
   * A body of which nothing has arrived yet, transformed on its way.
   *
   * @param headers the request's; from now on they describe the transformed body
   */
  public static SpilloverBody ofTransformed(
      HttpHeaders headers,
      ByteBufAllocator allocator,
      BodyBudget budget,
      BodyTransformer transformer,
      BodyFailureListener listener) {
    Decompressor decoder = DecompressorFactory.newDecompressor(headers, allocator);
    headers.remove(HttpHeaderNames.TRANSFER_ENCODING); // it may have named the coding
    return new SpilloverBody(new AccountedBuffer(budget), decoder, null, listener)
        .withTransformer(transformer, headers, allocator);
  }

  /** Transforms the body on its way, what was buffered too; its length is unknown from now on. */
  public SpilloverBody withTransformer(
      BodyTransformer by, HttpHeaders headers, ByteBufAllocator buffers) {
    transformer = by;
    allocator = buffers;
    headers.remove(HttpHeaderNames.CONTENT_LENGTH);
    return this;
  }

  /** The way is open. */
  public void attach(BodySink opened) {
    upstream = opened;
    pump();
  }

  /** The node takes no more for now. */
  public void pause() {
    paused = true;
  }

  /**
   * The node takes more.
   *
   * @return whether more may come from the client
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
    } catch (Throwable e) { // for example for lack of memory: nothing else would end the request
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

  /** The next piece for the node; null when the client has to send more. */
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
    buffer.leaveToGarbageCollector(); // the node's connection may still have pieces of it to write
  }

  /** Nothing more of it is wanted. */
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
