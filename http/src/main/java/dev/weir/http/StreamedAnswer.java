package dev.weir.http;

import dev.weir.model.BodySource;
import dev.weir.model.ReplyBody;
import dev.weir.model.StreamedReply;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An answer that is made while the client takes it: of what its source gives, no more is handed to
 * the connection than that takes, encoded on the way when the client accepts that; the rest waits.
 *
 * <pre>
 *   source --write--> parts that wait --piece by piece, while writable--> connection
 *      ^------------ready------'
 * </pre>
 */
final class StreamedAnswer implements Answer, BodySource.Taker {
  /** After so many pieces other connections of the event loop have their turn. */
  private static final int PIECES_A_TURN = 8;

  /** How the body ends. */
  private sealed interface End {
    /** Complete. */
    record Whole(List<Map.Entry<String, String>> trailers) implements End {}

    /** So that the client does not take it for complete. */
    record Broken() implements End {}
  }

  /** A part that waits, or of which a piece does. */
  private record Part(BodyPieces pieces, Runnable onReleased) {}

  private final Exchange exchange;
  private final StreamedReply reply;
  private final HttpHeaders headers;
  private final @Nullable ContentCoding coding;
  private final ArrayDeque<Part> parts = new ArrayDeque<>();
  private @Nullable BodyEncoder encoder;
  private @Nullable End end;
  private boolean started;
  private boolean written;
  private boolean over;
  private boolean yielding;

  /**
   * Makes an answer.
   *
   * @param headers without those of its length
   * @param coding null for none
   */
  StreamedAnswer(
      Exchange exchange, StreamedReply reply, HttpHeaders headers, @Nullable ContentCoding coding) {
    this.exchange = exchange;
    this.reply = reply;
    this.headers = headers;
    this.coding = coding;
  }

  // Its turn.

  @Override
  public void start() {
    if (started) {
      return;
    }
    started = true;
    ClientConnection connection = exchange.connection();
    if (coding != null) {
      headers.set(HttpHeaderNames.CONTENT_ENCODING, coding.token());
      encoder = coding.open(connection.options().compression());
    }
    connection.markChunked(headers, exchange);
    HttpResponseStatus status = HttpResponseStatus.valueOf(reply.status());
    connection.write(
        exchange,
        new DefaultHttpResponse(exchange.request().protocolVersion(), status, headers),
        0);
    connection.flush();
    reply.body().begin(this);
  }

  @Override
  public void resume() {
    drain();
    if (!over && !written && ready()) {
      reply.body().resume();
    }
  }

  // What its source does.

  @Override
  public boolean ready() {
    return started && !over && parts.isEmpty() && exchange.connection().writable();
  }

  @Override
  public void write(List<ByteBuffer> part, Runnable onReleased) {
    BodyPieces pieces = new BodyPieces(ReplyBody.of(part), exchange.connection().allocator());
    if (over || end != null || pieces.remaining() == 0) {
      onReleased.run();
      return;
    }
    parts.add(new Part(pieces, onReleased));
    drain();
  }

  @Override
  public void end(List<Map.Entry<String, String>> trailers) {
    finish(new End.Whole(trailers));
  }

  @Override
  public void breakOff() {
    finish(new End.Broken());
  }

  private void finish(End how) {
    if (end == null && !over) {
      end = how;
      drain();
    }
  }

  // Writing.

  /** Hands on what the connection takes, and no more than is fair to others. */
  private void drain() {
    if (yielding || written || over) {
      return;
    }
    boolean done = false;
    try {
      drainOn();
      done = true;
    } finally {
      if (!done) {
        exchange.breakOff(); // a piece is missing, whatever went wrong
      }
    }
  }

  private void drainOn() {
    ClientConnection connection = exchange.connection();
    int pieces = 0;
    while (!parts.isEmpty() && connection.writable()) {
      if (pieces++ == PIECES_A_TURN) {
        yielding = true;
        connection.later(this::goOn);
        connection.flush();
        return;
      }
      writePiece(parts.element());
    }
    End how = end;
    if (parts.isEmpty() && how != null) {
      writeEnd(how);
    }
    connection.flush();
  }

  private void goOn() {
    yielding = false;
    if (!over) {
      exchange.resumeAnswer();
    }
  }

  private void writePiece(Part part) {
    ByteBuf piece = part.pieces.next();
    if (encoder != null) {
      piece = encoded(encoder, piece, false);
    }
    ChannelFuture left = piece.isReadable() ? writeContent(piece) : null;
    if (left == null) {
      piece.release();
    }
    if (part.pieces.remaining() == 0) {
      parts.remove();
      if (left == null) {
        part.onReleased.run();
      } else {
        left.addListener(_ -> part.onReleased.run());
      }
    }
  }

  private ChannelFuture writeContent(ByteBuf piece) {
    return exchange
        .connection()
        .write(exchange, new DefaultHttpContent(piece), piece.readableBytes());
  }

  /** A piece as it is sent; takes the piece. */
  private ByteBuf encoded(BodyEncoder by, ByteBuf piece, boolean last) {
    try {
      ByteBuf out = exchange.connection().allocator().directBuffer(BodyPieces.PIECE / 2);
      boolean done = false;
      try {
        by.encode(piece, out, last);
        done = true;
        return out;
      } finally {
        if (!done) {
          out.release();
        }
      }
    } finally {
      piece.release();
    }
  }

  private void writeEnd(End how) {
    written = true;
    ByteBuf rest = Unpooled.EMPTY_BUFFER;
    if (encoder != null) {
      rest = encoded(encoder, Unpooled.EMPTY_BUFFER, true);
      closeEncoder();
    }
    ClientConnection connection = exchange.connection();
    int size = rest.readableBytes();
    switch (how) {
      case End.Whole(List<Map.Entry<String, String>> trailers) -> {
        DefaultLastHttpContent last = new DefaultLastHttpContent(rest);
        trailers.forEach(
            trailer -> last.trailingHeaders().add(trailer.getKey(), trailer.getValue()));
        connection.writeLast(exchange, last, size);
      }
      case End.Broken _ ->
          connection
              .write(exchange, new DefaultHttpContent(rest), size)
              .addListener(_ -> exchange.breakOff());
    }
  }

  @Override
  public void over(boolean complete) {
    over = true;
    closeEncoder();
    for (Part part = parts.poll(); part != null; part = parts.poll()) {
      part.onReleased.run();
    }
    reply.body().over(complete);
    reply.onReleased().run();
  }

  private void closeEncoder() {
    if (encoder != null) {
      encoder.close();
      encoder = null;
    }
  }
}
