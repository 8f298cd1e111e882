package dev.weir.http.response;

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
 * Writes a response whose body is produced while the client reads it, and compresses it if the
 * client accepts that. Passes on only what the connection takes; queues the rest.
 *
 * <pre>
 *   source --write--> queued parts --chunk by chunk, while writable--> connection
 *      ^------------ready-------'
 * </pre>
 */
public final class StreamingResponseWriter implements ResponseWriter, BodySource.Sink {
  /** After this many chunks, the event loop serves its other connections. */
  private static final int CHUNKS_PER_TURN = 8;

  /** How the body ends. */
  private sealed interface End {
    /** Complete. */
    record Complete(List<Map.Entry<String, String>> trailers) implements End {}

    /**
     * Truncated by a failure: the connection is closed, so that the client does not take the body
     * for complete.
     */
    record Truncated() implements End {}
  }

  /** How far the response has got. */
  private enum State {
    /** Earlier responses have not left. */
    WAITING,
    WRITING,
    /** The event loop serves other connections first. */
    YIELDED,
    /** The connection has the last part. */
    ENDED,
    /** Nothing is written any more. */
    CLOSED
  }

  /** A part of the body of which some bytes are not written yet. */
  private record PendingPart(BodyChunker chunks, Runnable onReleased) {}

  private final ResponseChannel channel;
  private final StreamingResponse source;
  private final HttpHeaders headers;
  private final @Nullable ContentCoding coding;
  private final ArrayDeque<PendingPart> parts = new ArrayDeque<>();
  private @Nullable BodyEncoder encoder;
  private @Nullable End end;
  private State state = State.WAITING;

  /**
   * Creates a writer.
   *
   * @param headers without those of its length
   * @param coding null for none
   */
  public StreamingResponseWriter(
      ResponseChannel channel,
      StreamingResponse reply,
      HttpHeaders headers,
      @Nullable ContentCoding coding) {
    this.channel = channel;
    this.source = reply;
    this.headers = headers;
    this.coding = coding;
  }

  // Called by the exchange.

  @Override
  public void start() {
    if (state != State.WAITING) {
      return;
    }
    state = State.WRITING;
    if (coding != null) {
      headers.set(HttpHeaderNames.CONTENT_ENCODING, coding.token());
      encoder = coding.newEncoder(channel.compression());
    }
    channel.markChunked(headers);
    HttpResponseStatus status = HttpResponseStatus.valueOf(source.status());
    channel.write(new DefaultHttpResponse(channel.protocolVersion(), status, headers), 0);
    channel.flush();
    source.body().onStart(this);
  }

  @Override
  public void resume() {
    drain();
    if (isWritable()) {
      source.body().onWritable();
    }
  }

  // Called by the source.

  @Override
  public boolean isWritable() {
    return state == State.WRITING && parts.isEmpty() && channel.isWritable();
  }

  @Override
  public void write(List<ByteBuffer> part, Runnable onReleased) {
    BodyChunker pieces = new BodyChunker(ResponseBody.of(part), channel.allocator());
    if (state == State.CLOSED || end != null || pieces.remaining() == 0) {
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
    if (end == null && state != State.CLOSED) {
      end = how;
      drain();
    }
  }

  // Writing.

  /** Writes what the connection takes, up to this connection's share of the event loop's time. */
  private void drain() {
    if (state != State.WRITING) {
      return;
    }
    boolean done = false;
    try {
      scheduleDrain();
      done = true;
    } finally {
      if (!done) {
        channel.abortResponse(); // a chunk is missing
      }
    }
  }

  private void scheduleDrain() {
    int pieces = 0;
    while (!parts.isEmpty() && channel.isWritable()) {
      if (pieces++ == CHUNKS_PER_TURN) {
        state = State.YIELDED;
        channel.executeLater(this::continueWriting);
        channel.flush();
        return;
      }
      writePiece(parts.element());
    }
    End how = end;
    if (parts.isEmpty() && how != null) {
      writeEnd(how);
    }
    channel.flush();
  }

  private void continueWriting() {
    if (state == State.YIELDED) {
      state = State.WRITING;
      channel.resumeResponse();
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
    return channel.write(new DefaultHttpContent(piece), piece.readableBytes());
  }

  /** Encodes a chunk, which it releases; the caller owns the result. */
  private ByteBuf encoded(BodyEncoder by, ByteBuf piece, boolean last) {
    try {
      ByteBuf out = channel.allocator().directBuffer(BodyChunker.CHUNK_SIZE / 2);
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
    state = State.ENDED;
    ByteBuf rest = Unpooled.EMPTY_BUFFER;
    if (encoder != null) {
      rest = encoded(encoder, Unpooled.EMPTY_BUFFER, true);
      closeEncoder();
    }
    int size = rest.readableBytes();
    switch (how) {
      case End.Complete(List<Map.Entry<String, String>> trailers) -> {
        DefaultLastHttpContent last = new DefaultLastHttpContent(rest);
        trailers.forEach(
            trailer -> last.trailingHeaders().add(trailer.getKey(), trailer.getValue()));
        channel.writeLast(last, size);
      }
      case End.Truncated _ ->
          channel
              .write(new DefaultHttpContent(rest), size)
              .addListener(_ -> channel.abortResponse());
    }
  }

  @Override
  public void close(boolean complete) {
    state = State.CLOSED;
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
