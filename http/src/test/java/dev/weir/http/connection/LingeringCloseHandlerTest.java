package dev.weir.http.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.DuplexChannel;
import org.junit.jupiter.api.Test;

final class LingeringCloseHandlerTest {
  private final LingeringCloseHandler lingering = new LingeringCloseHandler();
  private final SocketLikeChannel channel = new SocketLikeChannel(lingering);

  /** A channel whose output can be shut down alone. */
  private static final class SocketLikeChannel extends EmbeddedChannel implements DuplexChannel {
    private boolean outputShutDown;

    SocketLikeChannel(ChannelHandler handler) {
      super(handler);
    }

    @Override
    public boolean isInputShutdown() {
      return false;
    }

    @Override
    public ChannelFuture shutdownInput() {
      return shutdownInput(newPromise());
    }

    @Override
    public ChannelFuture shutdownInput(ChannelPromise promise) {
      return promise.setFailure(new UnsupportedOperationException());
    }

    @Override
    public boolean isOutputShutdown() {
      return outputShutDown;
    }

    @Override
    public ChannelFuture shutdownOutput() {
      return shutdownOutput(newPromise());
    }

    @Override
    public ChannelFuture shutdownOutput(ChannelPromise promise) {
      outputShutDown = true;
      return promise.setSuccess();
    }

    @Override
    public boolean isShutdown() {
      return false;
    }

    @Override
    public ChannelFuture shutdown() {
      return shutdown(newPromise());
    }

    @Override
    public ChannelFuture shutdown(ChannelPromise promise) {
      return promise.setFailure(new UnsupportedOperationException());
    }
  }

  @Test
  void completeTheCloseWhenTheClientClosesFirst() {
    lingering.linger();
    ChannelFuture closed = channel.pipeline().close();
    assertThat(channel.isOutputShutdown()).isTrue();
    assertThat(channel.isOpen()).isTrue();
    assertThat(closed.isDone()).isFalse();

    channel.unsafe().close(channel.newPromise()); // as at the end of the client's bytes
    channel.runPendingTasks();
    assertThat(closed.isSuccess()).isTrue();
  }

  @Test
  void closeAtOnceWhenAskedAgain() {
    lingering.linger();
    ChannelFuture gently = channel.pipeline().close();
    ChannelFuture atOnce = channel.pipeline().close();
    channel.runPendingTasks();
    assertThat(channel.isOpen()).isFalse();
    assertThat(atOnce.isSuccess()).isTrue();
    assertThat(gently.isSuccess()).isTrue();
  }

  @Test
  void closeAtOnceWithoutAReasonToWait() {
    assertThat(channel.pipeline().close().isSuccess()).isTrue();
    assertThat(channel.isOutputShutdown()).isFalse();
  }
}
