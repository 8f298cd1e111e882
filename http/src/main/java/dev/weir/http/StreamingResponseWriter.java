package dev.weir.http;

import dev.weir.model.BodySource;
import dev.weir.model.ResponseBody;
import dev.weir.model.StreamingResponse;
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
final class StreamingResponseWriter implements ResponseWriter, BodySource.Sink {
  /** After so many pieces other connections of the event loop have their turn. */
  private static final int CHUNKS_PER_TURN = 8;

  /** How the body ends. */
  private sealed interface End {
    /** Complete. */
    record Complete(List<Map.Entry<String, String>> trailers) implements End {}

    /** So that the client does not take it for complete. */
    record Truncated() implements End {}
  }

  /** A part that waits, or of which a piece does. */
  private record PendingPart(BodyChunker chunks, Runnable onReleased) {}

  private final ClientExchange exchange;
  private final StreamingResponse source;
  private final HttpHeaders headers;
  private final @Nullable ContentCoding coding;
  private final ArrayDeque<PendingPart> parts = new ArrayDeque<>();
  private @Nullable BodyEncoder encoder;
  private @Nullable End end;
  private boolean started;
  private boolean endWritten;
  private boolean closed;
  private boolean yielded;

  /**
   * Makes an answer.
   *
   * @param headers without those of its length
   * @param coding null for none
   */
  StreamingResponseWriter(
      ClientExchange exchange,
      StreamingResponse reply,
      HttpHeaders headers,
      @Nullable ContentCoding coding) {
    this.exchange = exchange;
    this.source = reply;
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
      encoder = coding.newEncoder(connection.options().compression());
    }
    connection.markChunked(headers, exchange);
    HttpResponseStatus status = HttpResponseStatus.valueOf(source.status());
    connection.write(
        exchange,
        new DefaultHttpResponse(exchange.request().protocolVersion(), status, headers),
        0);
    connection.flush();
    source.body().onStart(this);
  }

  @Override
  public void resume() {
    drain();
    if (!closed && !endWritten && isWritable()) {
      source.body().onWritable();
    }
  }

  // What its source does.

  @Override
  public boolean isWritable() {
    return started && !closed && parts.isEmpty() && exchange.connection().isWritable();
  }

  @Override
  public void write(List<ByteBuffer> part, Runnable onReleased) {
    BodyChunker pieces = new BodyChunker(ResponseBody.of(part), exchange.connection().allocator());
    if (closed || end != null || pieces.remaining() == 0) {
      onReleased.run();
      return;
    }
    parts.add(new PendingPart(pieces, onReleased));
    drain();
  }

  @Override
  public void complete(List<Map.Entry<String, String>> trailers) {
    finish(new End.Complete(trailers));
  }

  @Override
  public void abort() {
    finish(new End.Truncated());
  }

  private void finish(End how) {
    if (end == null && !closed) {
      end = how;
      drain();
    }
  }

  // Writing.

  /** Hands on what the connection takes, and no more than is fair to others. */
  private void drain() {
    if (yielded || endWritten || closed) {
      return;
    }
    boolean done = false;
    try {
      scheduleDrain();
      done = true;
    } finally {
      if (!done) {
        exchange.abortResponse(); // a piece is missing, whatever went wrong
      }
    }
  }

  private void scheduleDrain() {
    ClientConnection connection = exchange.connection();
    int pieces = 0;
    while (!parts.isEmpty() && connection.isWritable()) {
      if (pieces++ == CHUNKS_PER_TURN) {
        yielded = true;
        connection.executeLater(this::continueWriting);
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

  private void continueWriting() {
    yielded = false;
    if (!closed) {
      exchange.resumeResponse();
    }
  }

  private void writePiece(PendingPart part) {
    ByteBuf piece = part.chunks.next();
    if (encoder != null) {
      piece = encoded(encoder, piece, false);
    }
    ChannelFuture left = piece.isReadable() ? writeContent(piece) : null;
    if (left == null) {
      piece.release();
    }
    if (part.chunks.remaining() == 0) {
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
      ByteBuf out = exchange.connection().allocator().directBuffer(BodyChunker.CHUNK_SIZE / 2);
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
    endWritten = true;
    ByteBuf rest = Unpooled.EMPTY_BUFFER;
    if (encoder != null) {
      rest = encoded(encoder, Unpooled.EMPTY_BUFFER, true);
      closeEncoder();
    }
    ClientConnection connection = exchange.connection();
    int size = rest.readableBytes();
    switch (how) {
      case End.Complete(List<Map.Entry<String, String>> trailers) -> {
        DefaultLastHttpContent last = new DefaultLastHttpContent(rest);
        trailers.forEach(
            trailer -> last.trailingHeaders().add(trailer.getKey(), trailer.getValue()));
        connection.writeLast(exchange, last, size);
      }
      case End.Truncated _ ->
          connection
              .write(exchange, new DefaultHttpContent(rest), size)
              .addListener(_ -> exchange.abortResponse());
    }
  }

  @Override
  public void close(boolean complete) {
    closed = true;
    closeEncoder();
    for (PendingPart part = parts.poll(); part != null; part = parts.poll()) {
      part.onReleased.run();
    }
    source.body().onClosed(complete);
    source.onReleased().run();
  }

  private void closeEncoder() {
    if (encoder != null) {
      encoder.close();
      encoder = null;
    }
  }
}
