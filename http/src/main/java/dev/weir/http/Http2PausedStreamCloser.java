package dev.weir.http;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http2.Http2FrameStream;
import io.netty.handler.codec.http2.Http2FrameStreamEvent;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.handler.codec.http2.Http2StreamChannel;
import java.util.HashMap;
import java.util.Map;

/**
 * Closes the channel of a stream that ended while nothing was read of it. Netty closes such a
 * channel only when it reads again, and keeps what the stream had received until then. Lies between
 * the frame codec and the streams; confined to its event loop.
 */
final class Http2PausedStreamCloser extends ChannelInboundHandlerAdapter {
  private final Map<Http2FrameStream, Channel> channels = new HashMap<>();

  void onOpened(Http2StreamChannel channel) {
    channels.put(channel.stream(), channel);
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    ctx.fireUserEventTriggered(event); // a stream that reads closes its channel itself
    if (event instanceof Http2FrameStreamEvent changed
        && changed.type() == Http2FrameStreamEvent.Type.State
        && changed.stream().state() == Http2Stream.State.CLOSED) {
      Channel closed = channels.remove(changed.stream());
      if (closed != null && !closed.config().isAutoRead()) {
        closed.close();
      }
    }
  }
}
