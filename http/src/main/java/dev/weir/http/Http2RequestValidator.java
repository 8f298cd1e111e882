package dev.weir.http;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2FrameCodec;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2Stream;
import org.jspecify.annotations.Nullable;

/**
 * Resets streams whose requests are malformed (RFC 9113, 8.1 and 8.3) in ways that the codec lets
 * pass: without a pseudo-header field that each request has, with white space or control characters
 * in one, or with pseudo-header fields in trailers. Lies behind the frame codec; confined to its
 * event loop.
 */
final class Http2RequestValidator extends ChannelInboundHandlerAdapter {
  private final Http2FrameCodec codec;

  /** Marks the streams whose request headers have arrived: further ones are trailers. */
  private final Http2Connection.PropertyKey headersKey;

  Http2RequestValidator(Http2FrameCodec codec) {
    this.codec = codec;
    this.headersKey = codec.connection().newKey();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ChannelHandlerContext frames = ctx.pipeline().context(codec);
    if (!(message instanceof Http2HeadersFrame frame) || frames == null || isWellFormed(frame)) {
      ctx.fireChannelRead(message);
      return;
    }
    codec.resetStream(
        frames, frame.stream().id(), Http2Error.PROTOCOL_ERROR.code(), frames.newPromise());
    frames.flush();
  }

  private boolean isWellFormed(Http2HeadersFrame frame) {
    Http2Stream stream = codec.connection().stream(frame.stream().id());
    Http2Headers headers = frame.headers();
    if (stream != null && stream.setProperty(headersKey, Boolean.TRUE) != null) {
      return !hasPseudoHeaders(headers);
    }
    return isText(headers.method()) && isText(headers.scheme()) && isText(headers.path());
  }

  private static boolean hasPseudoHeaders(Http2Headers trailers) {
    for (CharSequence name : trailers.names()) {
      if (Http2Headers.PseudoHeaderName.hasPseudoHeaderFormat(name)) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether a value is there, and has neither white space nor control characters. */
  private static boolean isText(@Nullable CharSequence value) {
    if (value == null || value.isEmpty()) {
      return false;
    }
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c <= ' ' || c == 0x7f) {
        return false;
      }
    }
    return true;
  }
}
