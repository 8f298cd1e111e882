package dev.weir.gateway.admin;

import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/** Closes connections beyond a limit. Shared by all connections of one event loop. */
@Sharable
final class ConnectionLimitHandler extends ChannelInboundHandlerAdapter {
  private final int maxConnections;
  private int openConnections;

  ConnectionLimitHandler(int most) {
    this.maxConnections = most;
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    if (++openConnections > maxConnections) {
      context.close();
      return;
    }
    context.fireChannelActive();
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    openConnections--;
    context.fireChannelInactive();
  }
}
