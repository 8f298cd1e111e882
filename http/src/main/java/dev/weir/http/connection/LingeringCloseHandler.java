package dev.weir.http.connection;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Closes a connection so that its client can read the last bytes, such as a GOAWAY or the rejection
 * of a body: stops sending, and drops what still arrives until the client closes too, for at most a
 * second. TCP would otherwise reset the connection because of bytes that nobody read, and the
 * client might lose what was sent before. The first handler of its pipeline; confined to its event
 * loop.
 *
 * <pre>
 *   OPEN --linger()--> ENABLED --close()--> DRAINING --client closes, close(), a second--> closed
 *     `--close()---------------------------------------------------------------------------^
 * </pre>
 */
public final class LingeringCloseHandler extends ChannelDuplexHandler {
  private static final long MAX_MILLIS = 1000;

  private enum State {
    OPEN,
    ENABLED,
    DRAINING
  }

  private State state = State.OPEN;

  /** Lets the next close wait for the client. */
  public void linger() {
    if (state == State.OPEN) {
      state = State.ENABLED;
    }
  }

  @Override
  public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
    if (state != State.ENABLED
        || !ctx.channel().isActive()
        || !(ctx.channel() instanceof DuplexChannel channel)) {
      ctx.close(promise);
      return;
    }
    state = State.DRAINING;
    channel.config().setAutoRead(true);
    channel.shutdownOutput();
    Future<?> timer = ctx.executor().schedule(() -> ctx.close(), MAX_MILLIS, TimeUnit.MILLISECONDS);
    channel
        .closeFuture()
        .addListener(_ -> {
          timer.cancel(false);
          promise.trySuccess();
        });
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (state == State.DRAINING) {
      ReferenceCountUtil.release(message);
    } else {
      ctx.fireChannelRead(message);
    }
  }
}
