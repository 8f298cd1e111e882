package dev.weir.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.protocol.outbound.FrameFlusher;
import io.netty.buffer.Unpooled;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.opensearch.transport.nativeprotocol.NodeFrames;
import org.opensearch.transport.nativeprotocol.NodeFrames.Marks;

/** Calls whose replies nobody needs. */
class IgnoredReplyTest extends NodeChannelFixture {
  private ActiveCall<String> sentDeferrable() {
    return sent(text(), IgnoredReply.deferrable());
  }

  private void assertAnswered() {
    assertThat(counters.responses.get()).isEqualTo(1);
    assertThat(counters.orphanedResponses.get()).isZero();
    assertThat(counters.inFlight.get()).isZero();
    assertThat(context.timeouts.size()).isZero();
  }

  @Test
  void skipTheReplyWithoutTakingMemory() {
    ActiveCall<String> call = sent(text(), IgnoredReply.prompt());
    assertThat(outbound()).isNotEmpty();
    byte[] reply = NodeFrames.response(1, out -> out.writeBytes(new byte[10_000]));
    channel.writeInbound(Unpooled.wrappedBuffer(reply, 0, 500));
    assertThat(held.frames()).isZero();
    assertAnswered();
    channel.writeInbound(Unpooled.wrappedBuffer(reply, 500, reply.length - 500));
    assertAnswered();
    assertThat(call.abandon()).isFalse();

    RecordingReplyHandler<String> next = new RecordingReplyHandler<>();
    sent(text(), next);
    receive(answer(2, "next"));
    assertThat(next.reply()).isEqualTo("next");
  }

  @Test
  void skipAnError() {
    sent(text(), IgnoredReply.prompt());
    receive(error(1, new IllegalStateException("no such context")));
    assertAnswered();
  }

  @Test
  void countASecondReplyAsOrphaned() {
    sent(text(), IgnoredReply.prompt());
    receive(answer(1, "a"));
    receive(answer(1, "a"));
    assertThat(counters.responses.get()).isEqualTo(1);
    assertThat(counters.orphanedResponses.get()).isEqualTo(1);
  }

  @Test
  void closeADrainedChannelAfterTheReply() {
    sent(text(), IgnoredReply.prompt());
    wire.drain();
    assertThat(channel.isOpen()).isTrue();
    receive(answer(1, "a"));
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void leaveWithTheNextCall() {
    sentDeferrable();
    assertThat(outbound()).isEmpty();
    assertThat(counters.sent.get()).isEqualTo(1);
    sent(text(), new RecordingReplyHandler<>());
    assertThat(frames(outbound())).isEqualTo(2);
  }

  @Test
  void leaveWithACallOfTheSameTick() {
    send(new ActiveCall<>(text(), channel.eventLoop(), new RecordingReplyHandler<String>(), this));
    send(new ActiveCall<>(text(), channel.eventLoop(), IgnoredReply.deferrable(), this));
    channel.runPendingTasks();
    assertThat(frames(outbound())).isEqualTo(2);
  }

  @Test
  void leaveAloneAfterAWhile() {
    sentDeferrable();
    for (int i = 0; i < 3; i++) {
      ticker.advance(FrameFlusher.MAX_DEFERRAL.toNanos() - 1, TimeUnit.NANOSECONDS);
      channel.runScheduledPendingTasks();
      assertThat(outbound()).isEmpty();
      ticker.advance(1, TimeUnit.NANOSECONDS);
      channel.runScheduledPendingTasks();
      assertThat(frames(outbound())).isEqualTo(1);
      sentDeferrable();
    }
  }

  @Test
  void leaveTogetherWhenManyWait() {
    for (int i = 1; i < FrameFlusher.MAX_DEFERRED_FRAMES; i++) {
      sentDeferrable();
      assertThat(outbound()).isEmpty();
    }
    sentDeferrable();
    assertThat(frames(outbound())).isEqualTo(FrameFlusher.MAX_DEFERRED_FRAMES);
  }

  @Test
  void leaveBeforeTheChannelCloses() {
    sentDeferrable();
    wire.close(null);
    assertThat(frames(outbound())).isEqualTo(1);
    ticker.advance(FrameFlusher.MAX_DEFERRAL.toNanos(), TimeUnit.NANOSECONDS);
    channel.runScheduledPendingTasks();
    assertThat(unsent.heldBytes()).isZero();
  }

  @Test
  void leaveFromAChannelThatDrains() {
    sentDeferrable();
    wire.drain();
    ticker.advance(FrameFlusher.MAX_DEFERRAL.toNanos(), TimeUnit.NANOSECONDS);
    channel.runScheduledPendingTasks();
    assertThat(frames(outbound())).isEqualTo(1);
    receive(answer(1, "a"));
    assertThat(channel.isOpen()).isFalse();
  }

  /** Returns the number of frames, all of the same call. */
  private static int frames(byte[] bytes) {
    int one =
        NodeFrames.request(
                1, "test/text", out -> out.writeString("question"), Map.of(), Marks.PLAIN)
            .length;
    assertThat(bytes.length % one).isZero();
    return bytes.length / one;
  }
}
