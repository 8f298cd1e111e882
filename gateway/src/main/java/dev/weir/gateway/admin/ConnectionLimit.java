package dev.weir.gateway.admin;

import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/** Closes connections beyond a number. One for all connections of one event loop. */
@Sharable
final class ConnectionLimit extends ChannelInboundHandlerAdapter {
  private final int most;
  private int open;

  ConnectionLimit(int most) {
    this.most = most;
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    if (++open > most) {
      context.close();
      return;
    }
    context.fireChannelActive();
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    open--;
    context.fireChannelInactive();
  }
}
