package dev.weir.http.connection;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Passes received bytes to the HTTP/1.1 codec in pieces, and keeps the rest while enough decoded
 * messages wait in the {@link InboundMessageQueue}. The codec decodes all that it gets: of one read
 * it would make thousands of small requests, which take many times the memory of their bytes.
 * Stands before the codec; passes everything once the connection has switched to HTTP/2. Confined
 * to its event loop.
 */
public final class InboundByteQueue extends ChannelInboundHandlerAdapter {
  /** Bytes that are decoded at once where nothing tells how many messages they hold. */
  private static final int PIECE_BYTES = 4 << 10;

  private final ArrayDeque<ByteBuf> waiting = new ArrayDeque<>(0);
  private @Nullable ChannelHandlerContext ctx;
  private @Nullable InboundMessageQueue messages;
  private boolean isDecoding;

  /** Starts to hold bytes back while a queue of messages is full. */
  void attach(InboundMessageQueue decoded) {
    messages = decoded;
  }

  /** Holds nothing back from now on: the connection no longer speaks HTTP/1.1. */
  void detach() {
    messages = null;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    ctx = context;
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext context) {
    for (ByteBuf bytes = waiting.poll(); bytes != null; bytes = waiting.poll()) {
      bytes.release();
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (messages == null || !(message instanceof ByteBuf bytes)) {
      context.fireChannelRead(message);
    } else if (waiting.isEmpty() && bytes.readableBytes() <= PIECE_BYTES && hasRoom()) {
      context.fireChannelRead(bytes);
    } else {
      waiting.add(bytes);
      decode(context);
    }
  }

  boolean isEmpty() {
    return waiting.isEmpty();
  }

  /** Decodes what waits, as far as there is room for the messages. */
  void decodeMore() {
    ChannelHandlerContext context = ctx;
    if (context != null && !isDecoding && !waiting.isEmpty() && hasRoom()) {
      decode(context);
      context.fireChannelReadComplete();
    }
  }

  private void decode(ChannelHandlerContext context) {
    if (isDecoding) {
      return; // the call under way goes on
    }
    isDecoding = true;
    try {
      while (!waiting.isEmpty() && hasRoom()) {
        context.fireChannelRead(nextPiece());
      }
    } finally {
      isDecoding = false;
    }
  }

  private boolean hasRoom() {
    InboundMessageQueue decoded = messages;
    return decoded == null || !decoded.isFull();
  }

  /** Takes the next bytes. The known rest of a body is one piece: it makes one message. */
  private ByteBuf nextPiece() {
    ByteBuf first = waiting.element();
    InboundMessageQueue decoded = messages;
    if (decoded == null) {
      return waiting.remove();
    }
    long length = Math.max(PIECE_BYTES, decoded.bodyBytesAhead());
    return first.readableBytes() <= length
        ? waiting.remove()
        : first.readRetainedSlice((int) length);
  }
}
