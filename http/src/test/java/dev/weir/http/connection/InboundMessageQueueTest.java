package dev.weir.http.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpObject;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class InboundMessageQueueTest {
  private final List<String> handled = new ArrayList<>();
  private final List<String> began = new ArrayList<>();
  private int resumed;
  private @Nullable Runnable duringFirst;
  private final ChannelInboundHandlerAdapter anchor = new ChannelInboundHandlerAdapter();
  private final EmbeddedChannel channel = new EmbeddedChannel(anchor);
  private final ChannelHandlerContext context = channel.pipeline().context(anchor);
  private final InboundMessageQueue queue =
      new InboundMessageQueue(context, null, this::handle, () -> resumed++);

  private void handle(HttpObject part) {
    String text = ((HttpContent) part).content().toString(StandardCharsets.UTF_8);
    began.add(text);
    Runnable now = duringFirst;
    duringFirst = null;
    if (now != null) {
      now.run();
    }
    handled.add(text);
  }

  private static HttpObject part(String text) {
    return new DefaultHttpContent(Unpooled.copiedBuffer(text, StandardCharsets.UTF_8));
  }

  private boolean reads() {
    return channel.config().isAutoRead();
  }

  @Test
  void keepTheOrderOfWhatIsReadWhileAQueuedPartIsHandled() {
    queue.pause(InboundMessageQueue.AWAITING_ADMISSION);
    queue.accept(part("a"));
    assertThat(reads()).isFalse();
    duringFirst =
        () -> {
          queue.pause(InboundMessageQueue.BODY_PAUSED);
          queue.resume(InboundMessageQueue.BODY_PAUSED);
          assertThat(reads()).as("reading before a part is handled").isFalse();
          queue.accept(part("b"));
        };
    queue.resume(InboundMessageQueue.AWAITING_ADMISSION);
    assertThat(handled).containsExactly("a", "b");
    assertThat(began).containsExactly("a", "b");
    assertThat(reads()).isTrue();
    assertThat(resumed).isOne();
  }

  @Test
  void keepTheOrderOfWhatIsReadWhileAPartIsHandled() {
    duringFirst =
        () -> {
          queue.pause(InboundMessageQueue.BODY_PAUSED);
          queue.resume(InboundMessageQueue.BODY_PAUSED);
          queue.accept(part("b"));
        };
    queue.accept(part("a"));
    assertThat(handled).containsExactly("a", "b");
    assertThat(reads()).isTrue();
  }

  @Test
  void stayPausedForAReasonThatIsLeft() {
    queue.pause(InboundMessageQueue.AWAITING_ADMISSION);
    queue.pause(InboundMessageQueue.BODY_PAUSED);
    queue.accept(part("a"));
    queue.resume(InboundMessageQueue.AWAITING_ADMISSION);
    assertThat(handled).isEmpty();
    assertThat(reads()).isFalse();
    duringFirst = () -> queue.pause(InboundMessageQueue.PIPELINE_FULL);
    queue.resume(InboundMessageQueue.BODY_PAUSED);
    queue.accept(part("b"));
    assertThat(handled).containsExactly("a");
    assertThat(reads()).isFalse();
    queue.resume(InboundMessageQueue.PIPELINE_FULL);
    assertThat(handled).containsExactly("a", "b");
    assertThat(reads()).isTrue();
  }

  @Test
  void handThePipelineWhatTheHandlerThrowsAfterAPause() {
    queue.pause(InboundMessageQueue.PIPELINE_FULL);
    queue.accept(part("a"));
    duringFirst =
        () -> {
          throw new IllegalStateException("got a part that fails");
        };
    queue.resume(InboundMessageQueue.PIPELINE_FULL); // as another connection's handler may
    assertThatThrownBy(channel::checkException).hasMessage("got a part that fails");
  }
}
