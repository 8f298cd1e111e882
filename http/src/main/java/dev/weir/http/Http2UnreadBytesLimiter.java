package dev.weir.http;

import dev.weir.http.body.BodyBudget;
import dev.weir.http.connection.ConnectionCounts;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameCodec;
import io.netty.handler.codec.http2.Http2LocalFlowController;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.handler.codec.http2.Http2WindowUpdateFrame;
import org.jspecify.annotations.Nullable;

/**
 * Charges the bytes of bodies that one HTTP/2 connection has received and its streams have not
 * read, up to the connection's flow-control window. Streams do not read while the header filter
 * delays them, or while a node takes no more. Without memory for the bytes, the stream that holds
 * most of them is reset. Lies between the frame codec and the streams; confined to its event loop.
 */
final class Http2UnreadBytesLimiter extends ChannelDuplexHandler {
  private final BodyBudget budget;
  private final ConnectionCounts counts;
  private final Http2FrameCodec codec;
  private long charged;

  Http2UnreadBytesLimiter(BodyBudget budget, ConnectionCounts counts, Http2FrameCodec codec) {
    this.budget = budget;
    this.counts = counts;
    this.codec = codec;
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    ctx.fireChannelReadComplete(); // lets the streams read first
    long unread = unreadBytes();
    if (unread <= charged) {
      releaseDownTo(unread);
    } else if (budget.tryCharge(unread - charged)) {
      charged = unread;
    } else {
      resetLargestStream(ctx);
    }
  }

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    ctx.write(message, promise);
    if (message instanceof Http2WindowUpdateFrame) { // a stream has read
      releaseDownTo(unreadBytes());
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    ctx.fireUserEventTriggered(event);
    releaseDownTo(unreadBytes()); // a closed stream holds nothing
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    releaseDownTo(0);
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    ctx.fireChannelInactive();
    releaseDownTo(0);
  }

  /** Returns the bytes to charge. The window that every connection starts with is free. */
  private long unreadBytes() {
    Http2Connection connection = codec.connection();
    long unread = flow().unconsumedBytes(connection.connectionStream());
    return Math.max(0, unread - Http2Session.INITIAL_WINDOW);
  }

  private Http2LocalFlowController flow() {
    return codec.connection().local().flowController();
  }

  private void releaseDownTo(long bytes) {
    if (bytes < charged) {
      budget.release(charged - bytes);
      charged = bytes;
    }
  }

  private void resetLargestStream(ChannelHandlerContext ctx) {
    ChannelHandlerContext frames = ctx.pipeline().context(codec);
    Http2Stream largest = largestStream();
    if (largest != null && frames != null) {
      counts.increment(ConnectionCounts.Reason.UNREAD_STREAM);
      codec.resetStream(
          frames, largest.id(), Http2Error.ENHANCE_YOUR_CALM.code(), frames.newPromise());
      frames.flush();
    }
  }

  private @Nullable Http2Stream largestStream() {
    Http2Stream[] largest = new Http2Stream[1];
    try {
      codec
          .connection()
          .forEachActiveStream(stream -> {
            if (largest[0] == null
                || flow().unconsumedBytes(stream) > flow().unconsumedBytes(largest[0])) {
              largest[0] = stream;
            }
            return true;
          });
    } catch (Http2Exception e) {
      throw new IllegalStateException("got an exception from a visitor that throws none", e);
    }
    return largest[0];
  }
}
