package dev.weir.http;

import dev.weir.http.proxy.Passage;
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
final class OutgrownBody implements BodySink {
  /** What was gathered goes in pieces of this size, so that the node's pace is heeded. */
  private static final int PIECE = 64 << 10;

  private final PaidArray paid;
  private final Consumer<DecompressionException> corrupt;
  private final ArrayDeque<ByteBuf> waiting = new ArrayDeque<>(2);
  private @Nullable ByteBuf gathered;
  private @Nullable ByteBuf decoded;
  private @Nullable Decompressor decoder;
  private @Nullable BodyChange change;
  private ByteBufAllocator allocates = UnpooledByteBufAllocator.DEFAULT;
  private @Nullable Passage passage;
  private boolean held;
  private boolean pumping;
  private boolean complete;
  private boolean over;

  /**
   * Makes a body.
   *
   * @param paid what was gathered; owned
   * @param decoder for what comes, with what it has taken in already; owned; null when it goes on
   *     as it comes
   * @param decoded what the decoder gave besides what was gathered; borrowed
   * @param corrupt hears that the rest is not what its coding says
   */
  OutgrownBody(
      PaidArray paid,
      @Nullable Decompressor decoder,
      @Nullable ByteBuf decoded,
      Consumer<DecompressionException> corrupt) {
    this.paid = paid;
    this.gathered = paid.buffer();
    this.decoder = decoder;
    this.decoded = decoded == null ? null : decoded.retainedSlice();
    this.corrupt = corrupt;
  }

  /** One of which nothing has come yet, that is changed on its way. */
  static OutgrownBody changing(Exchange exchange, BodyChange change) {
    HttpHeaders headers = exchange.request().headers();
    Decompressor decoder = ContentDecoding.open(headers, exchange.connection().allocator());
    headers.remove(HttpHeaderNames.TRANSFER_ENCODING); // it may have named the coding
    return new OutgrownBody(
            new PaidArray(exchange.connection().desk().budget()), decoder, null, exchange::corrupt)
        .changed(exchange, change);
  }

  /** Has it changed on its way, also what was gathered. */
  OutgrownBody changed(Exchange exchange, BodyChange by) {
    change = by;
    allocates = exchange.connection().allocator();
    exchange.request().headers().remove(HttpHeaderNames.CONTENT_LENGTH);
    return this;
  }

  /** The way is open. */
  void into(Passage opened) {
    passage = opened;
    pump();
  }

  /** The node takes no more for now. */
  void hold() {
    held = true;
  }

  /**
   * The node takes more.
   *
   * @return whether more may come from the client
   */
  boolean resume() {
    held = false;
    pump();
    return !held;
  }

  @Override
  public void content(ByteBuf piece) {
    if (!over) {
      waiting.add(piece.retainedSlice());
      pump();
    }
  }

  @Override
  public void end() {
    complete = true;
    pump();
  }

  private void pump() {
    Passage to = passage;
    if (to == null || pumping) {
      return;
    }
    pumping = true;
    try {
      while (!held && !over) {
        ByteBuf next = next();
        if (next == null) {
          if (complete) {
            end(to);
          }
          return;
        }
        try {
          to.content(next);
        } finally {
          next.release();
        }
      }
    } catch (DecompressionException e) {
      discard();
      corrupt.accept(e);
    } finally {
      pumping = false;
    }
  }

  private void end(Passage to) {
    if (change != null) {
      ByteBuf last = allocates.buffer();
      change.end(last);
      try {
        to.content(last);
      } finally {
        last.release();
      }
    }
    discard();
    to.end();
  }

  /** The next piece for the node; null when the client has to send more. */
  private @Nullable ByteBuf next() {
    ByteBuf piece = asItCame();
    return change == null || piece == null
        ? piece
        : ChangingDecoder.changed(change, piece, allocates);
  }

  private @Nullable ByteBuf asItCame() {
    ByteBuf begin = gathered;
    if (begin != null) {
      if (begin.isReadable()) {
        return begin.readRetainedSlice(Math.min(PIECE, begin.readableBytes()));
      }
      payBack(begin);
    }
    ByteBuf first = decoded;
    if (first != null) {
      decoded = null;
      return first;
    }
    return ContentDecoding.next(decoder, waiting);
  }

  private void payBack(ByteBuf sent) {
    gathered = null;
    sent.release();
    paid.abandon(); // the node's connection may still have pieces of it to write
  }

  /** Nothing more of it is wanted. */
  void discard() {
    over = true;
    if (gathered != null) {
      payBack(gathered);
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
