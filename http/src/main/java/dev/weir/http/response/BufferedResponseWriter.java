package dev.weir.http.response;

import dev.weir.model.ResponseBody;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponseStatus;
import org.jspecify.annotations.Nullable;

/**
 * Writes a response whose body is complete, in chunks as the client reads them, and compresses it
 * if the client accepts that.
 */
public final class BufferedResponseWriter implements ResponseWriter {

  /**
   * A body up to this size is compressed at once and sent with its length; a longer one is sent
   * chunked. A node does the same at nearly the same size.
   */
  private static final int MAX_SINGLE_PASS_BYTES = 1 << 20;

  /** After this many compressed chunks, the event loop serves its other connections. */
  private static final int CHUNKS_PER_TURN = 4;

  /** How far the response has got. */
  private enum State {
    WRITING,
    /** The event loop serves other connections first. */
    YIELDED,
    /** The connection has the last part, or nothing is written any more. */
    ENDED
  }

  private final ResponseChannel channel;
  private final HttpResponseStatus status;
  private final HttpHeaders headers;
  private final BodyChunker chunks;
  private final Runnable onReleased;
  private final @Nullable ContentCoding coding;

  /** The memory of the whole body and of its encoder, until the client has read the response. */
  private long heldBytes;

  private @Nullable BodyEncoder encoder;
  private State state = State.WRITING;

  /**
   * Creates a writer.
   *
   * @param headers without content-length
   * @param onReleased runs once when the body is no longer read
   * @param coding null for none
   */
  public BufferedResponseWriter(
      ResponseChannel channel,
      HttpResponseStatus status,
      HttpHeaders headers,
      ResponseBody body,
      Runnable onReleased,
      @Nullable ContentCoding coding) {
    this.channel = channel;
    this.status = status;
    this.headers = headers;
    this.chunks = new BodyChunker(body, channel.allocator());
    this.onReleased = onReleased;
    this.coding = coding;
    long length = chunks.remaining();
    if (length > BodyChunker.CHUNK_SIZE) {
      hold(length);
    }
  }

  private void hold(long bytes) {
    heldBytes += bytes;
    channel.holdResponse(bytes);
  }

  @Override
  public void start() {
    long length = chunks.remaining();
    if (channel.isHeadRequest() || length == 0) {
      headers.set(HttpHeaderNames.CONTENT_LENGTH, Long.toString(length));
      writeWhole(Unpooled.EMPTY_BUFFER);
    } else if (coding == null || length < channel.compression().minBytes()) {
      headers.set(HttpHeaderNames.CONTENT_LENGTH, Long.toString(length));
      startPlain();
    } else {
      headers.set(HttpHeaderNames.CONTENT_ENCODING, coding.token());
      startEncoded(coding, length);
    }
  }

  private void startPlain() {
    if (chunks.remaining() <= BodyChunker.CHUNK_SIZE) {
      ByteBuf piece = chunks.next();
      if (chunks.remaining() == 0) {
        writeWhole(piece);
        return;
      }
      writeHead();
      writePiece(piece);
    } else {
      writeHead();
    }
    resume();
  }

  private void startEncoded(ContentCoding chosen, long length) {
    BodyEncoder opened = chosen.newEncoder(channel.compression());
    encoder = opened;
    if (length > MAX_SINGLE_PASS_BYTES) {
      hold(opened.memoryBytes());
      channel.markChunked(headers);
      writeHead();
      resume();
      return;
    }
    ByteBufAllocator allocator = channel.allocator();
    ByteBuf encoded = allocator.directBuffer(Math.max(256, (int) length / 4));
    boolean done = false;
    try {
      while (chunks.remaining() > 0) {
        encodeNext(opened, encoded);
      }
      done = true;
    } finally {
      if (!done) {
        encoded.release();
      }
    }
    headers.set(HttpHeaderNames.CONTENT_LENGTH, Integer.toString(encoded.readableBytes()));
    writeWhole(encoded);
  }

  private void encodeNext(BodyEncoder through, ByteBuf out) {
    ByteBuf piece = chunks.next();
    try {
      through.encode(piece, out, chunks.remaining() == 0);
    } finally {
      piece.release();
    }
  }

  @Override
  public void resume() {
    if (state == State.YIELDED) {
      return;
    }
    int written = 0;
    while (state == State.WRITING && channel.isWritable()) {
      if (encoder == null) {
        ByteBuf piece = chunks.next();
        if (chunks.remaining() == 0) {
          writeEnd(piece);
        } else {
          writePiece(piece);
        }
      } else if (written++ < CHUNKS_PER_TURN) {
        writeEncoded(encoder);
      } else {
        state = State.YIELDED;
        channel.executeLater(this::continueWriting);
        break;
      }
    }
    channel.flush();
  }

  private void continueWriting() {
    if (state == State.YIELDED) {
      state = State.WRITING;
      channel.resumeResponse();
    }
  }

  private void writeEncoded(BodyEncoder through) {
    ByteBuf out = channel.allocator().directBuffer(BodyChunker.CHUNK_SIZE / 2);
    boolean done = false;
    try {
      encodeNext(through, out);
      done = true;
    } finally {
      if (!done) {
        out.release();
      }
    }
    if (chunks.remaining() == 0) {
      writeEnd(out);
    } else if (out.isReadable()) {
      writePiece(out);
    } else {
      out.release();
    }
  }

  private void writeHead() {
    channel.write(new DefaultHttpResponse(channel.protocolVersion(), status, headers), 0);
  }

  private void writePiece(ByteBuf piece) {
    channel.write(new DefaultHttpContent(piece), piece.readableBytes());
  }

  private void writeEnd(ByteBuf piece) {
    state = State.ENDED;
    closeEncoder();
    int size = piece.readableBytes();
    channel.writeLast(new DefaultLastHttpContent(piece), size);
  }

  private void writeWhole(ByteBuf body) {
    state = State.ENDED;
    closeEncoder();
    channel.writeLast(
        new DefaultFullHttpResponse(
            channel.protocolVersion(), status, body, headers, EmptyHttpHeaders.INSTANCE),
        body.readableBytes());
    channel.flush();
  }

  @Override
  public void close(boolean complete) {
    state = State.ENDED;
    closeEncoder();
    if (heldBytes > 0) {
      channel.releaseResponse(heldBytes);
    }
    onReleased.run();
  }

  private void closeEncoder() {
    if (encoder != null) {
      encoder.close();
      encoder = null;
    }
  }
}
