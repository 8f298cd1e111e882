package dev.weir.http;

import dev.weir.http.proxy.ProxiedRequest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.handler.codec.compression.DecompressionException;
import io.netty.handler.codec.compression.Decompressor;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.ArrayDeque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A body that outgrew what may be gathered, on its way to a node: first what was gathered, then the
 * rest as it comes, no faster than the node takes it. Owned by its exchange's answer, which calls
 * {@link #discard} at the end. Confined to its event loop.
 */
final class SpilloverBody implements BodySink {
  /** What was gathered goes in pieces of this size, so that the node's pace is heeded. */
  private static final int CHUNK_SIZE = 64 << 10;

  private final AccountedBuffer buffer;
  private final Consumer<DecompressionException> onCorrupt;
  private final ArrayDeque<ByteBuf> waiting = new ArrayDeque<>(2);
  private @Nullable ByteBuf buffered;
  private @Nullable ByteBuf decoded;
  private @Nullable Decompressor decoder;
  private @Nullable BodyTransformer transformer;
  private ByteBufAllocator allocator = UnpooledByteBufAllocator.DEFAULT;
  private @Nullable ProxiedRequest proxied;
  private boolean paused;
  private boolean pumping;
  private boolean complete;
  private boolean closed;

  /**
   * Makes a body.
   *
   * @param paid what was gathered; owned
   * @param decoder for what comes, with what it has taken in already; owned; null when it goes on
   *     as it comes
   * @param decoded what the decoder gave besides what was gathered; borrowed
   * @param corrupt hears that the rest is not what its coding says
   */
  SpilloverBody(
      AccountedBuffer paid,
      @Nullable Decompressor decoder,
      @Nullable ByteBuf decoded,
      Consumer<DecompressionException> corrupt) {
    this.buffer = paid;
    this.buffered = paid.buffer();
    this.decoder = decoder;
    this.decoded = decoded == null ? null : decoded.retainedSlice();
    this.onCorrupt = corrupt;
  }

  /** One of which nothing has come yet, that is changed on its way. */
  static SpilloverBody ofTransformed(ClientExchange exchange, BodyTransformer change) {
    HttpHeaders headers = exchange.request().headers();
    Decompressor decoder =
        DecompressorFactory.newDecompressor(headers, exchange.connection().allocator());
    headers.remove(HttpHeaderNames.TRANSFER_ENCODING); // it may have named the coding
    return new SpilloverBody(
            new AccountedBuffer(exchange.connection().environment().bodyBudget()),
            decoder,
            null,
            exchange::onCorruptBody)
        .withTransformer(exchange, change);
  }

  /** Has it changed on its way, also what was gathered. */
  SpilloverBody withTransformer(ClientExchange exchange, BodyTransformer by) {
    transformer = by;
    allocator = exchange.connection().allocator();
    exchange.request().headers().remove(HttpHeaderNames.CONTENT_LENGTH);
    return this;
  }

  /** The way is open. */
  void attach(ProxiedRequest opened) {
    proxied = opened;
    pump();
  }

  /** The node takes no more for now. */
  void pause() {
    paused = true;
  }

  /**
   * The node takes more.
   *
   * @return whether more may come from the client
   */
  boolean resume() {
    paused = false;
    pump();
    return !paused;
  }

  @Override
  public void acceptContent(ByteBuf piece) {
    if (!closed) {
      waiting.add(piece.retainedSlice());
      pump();
    }
  }

  @Override
  public void complete() {
    complete = true;
    pump();
  }

  private void pump() {
    ProxiedRequest to = proxied;
    if (to == null || pumping) {
      return;
    }
    pumping = true;
    try {
      while (!paused && !closed) {
        ByteBuf next = next();
        if (next == null) {
          if (complete) {
            end(to);
          }
          return;
        }
        try {
          to.sendContent(next);
        } finally {
          next.release();
        }
      }
    } catch (DecompressionException e) {
      discard();
      onCorrupt.accept(e);
    } finally {
      pumping = false;
    }
  }

  private void end(ProxiedRequest to) {
    if (transformer != null) {
      ByteBuf last = allocator.buffer();
      transformer.finish(last);
      try {
        to.sendContent(last);
      } finally {
        last.release();
      }
    }
    discard();
    to.endBody();
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
  void discard() {
    closed = true;
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
