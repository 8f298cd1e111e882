package dev.weir.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.opensearch.core.common.breaker.CircuitBreaker;
import org.opensearch.core.common.breaker.CircuitBreakingException;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.concurrency.OpenSearchRejectedExecutionException;
import org.opensearch.transport.NodeDisconnectedException;
import org.opensearch.transport.ReceiveTimeoutTransportException;
import org.opensearch.transport.nativeprotocol.NodeFrames;
import org.opensearch.transport.nativeprotocol.NodeFrames.Marks;

/** Bounds, timeouts and the end of a channel. */
class NodeChannelBoundsTest extends NodeChannelFixture {
  @Test
  void timesOutInOpenSearchsWords() {
    RecordingReplyHandler<String> told = new RecordingReplyHandler<>();
    sent(text(), told);
    ticker.advance(29_999, TimeUnit.MILLISECONDS);
    channel.runScheduledPendingTasks();
    assertThat(told.isTold()).isFalse();

    ticker.advance(11, TimeUnit.MILLISECONDS);
    channel.runScheduledPendingTasks();

    assertThat(told.failure().kind()).isEqualTo(NodeCallException.Kind.TIMED_OUT);
    assertThat(told.failure().exception())
        .isInstanceOf(ReceiveTimeoutTransportException.class)
        .hasMessage("[dev-1][127.0.0.1:9301][test/text] request_id [1] timed out after [30010ms]");
    assertThat(counters.timeouts.get()).isEqualTo(1);

    receive(answer(1, "too late"));
    assertThat(counters.orphanedResponses.get()).isEqualTo(1);
  }

  @Test
  void dropsTheAnswerOfAForgottenCallWithoutTakingMemory() {
    RecordingReplyHandler<String> told = new RecordingReplyHandler<>();
    ActiveCall<String> call = sent(text(), told);

    assertThat(call.abandon()).isTrue();
    assertThat(call.abandon()).isFalse();
    assertThat(counters.inFlight.get()).isZero();
    assertThat(context.timeouts.size()).isZero();
    byte[] late = NodeFrames.response(1, out -> out.writeBytes(new byte[10_000]));
    channel.writeInbound(Unpooled.wrappedBuffer(late, 0, 500));
    assertThat(held.frames()).isZero();
    channel.writeInbound(Unpooled.wrappedBuffer(late, 500, late.length - 500));

    assertThat(told.isTold()).isFalse();
    assertThat(counters.orphanedResponses.get()).isEqualTo(1);
  }

  @Test
  void dropsAnAnswerThatWasForgottenWhileItCame() {
    RecordingReplyHandler<String> told = new RecordingReplyHandler<>();
    ActiveCall<String> call = sent(text(), told);
    byte[] frame = answer(1, "x".repeat(1000));
    channel.writeInbound(Unpooled.wrappedBuffer(frame, 0, 500));
    assertThat(held.frames()).isEqualTo(1);

    call.abandon();
    channel.writeInbound(Unpooled.wrappedBuffer(frame, 500, frame.length - 500));

    assertThat(told.isTold()).isFalse();
    assertThat(held.frames()).isZero();
    assertThat(counters.orphanedResponses.get()).isEqualTo(1);
  }

  @Test
  void dropsAnAnswerThatIsForgottenOnItsWayHome() {
    List<Runnable> home = new ArrayList<>();
    RecordingReplyHandler<String> told = new RecordingReplyHandler<>();
    ActiveCall<String> call = sent(text(), home::add, told);
    receive(answer(1, "x"));
    assertThat(home).hasSize(1);
    assertThat(held.frames()).isEqualTo(1);

    assertThat(call.abandon()).isTrue();
    home.forEach(Runnable::run);

    assertThat(told.isTold()).isFalse();
    assertThat(held.frames()).isZero();
  }

  @Test
  void refusesMoreCallsInFlightThanItsBound() {
    for (int i = 0; i < 100; i++) {
      sent(text(), new RecordingReplyHandler<>());
    }
    RecordingReplyHandler<String> told = new RecordingReplyHandler<>();
    sent(text(), told);

    assertThat(told.failure().kind()).isEqualTo(NodeCallException.Kind.NOT_SENT);
    assertThat(told.failure().status()).isEqualTo(429);
    assertThat(told.failure().exception())
        .isInstanceOf(OpenSearchRejectedExecutionException.class)
        .hasMessage("[dev-1] too many calls in flight: got 100 (expected: fewer than 100)");
    assertThat(told.failure().isBeyondSharedBound()).as("a bound of this node's").isFalse();
    assertThat(counters.rejections.get()).isEqualTo(1);
  }

  @Test
  void refusesCallsWhileTooManyBytesWait() {
    channel
        .config()
        .setOption(
            ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(1 << 15, 1 << 16));
    ActiveCall<String> large =
        new ActiveCall<>(
            text(out -> out.writeBytes(new byte[200_000])),
            channel.eventLoop(),
            new RecordingReplyHandler<>(),
            this);
    RecordingReplyHandler<String> told = new RecordingReplyHandler<>();
    ActiveCall<String> small = new ActiveCall<>(text(), channel.eventLoop(), told, this);

    send(large);
    send(small);
    channel.runPendingTasks();

    assertThat(told.failure().kind()).isEqualTo(NodeCallException.Kind.NOT_SENT);
    assertThat(told.failure()).hasMessageMatching(".* too many bytes unsent: got about [1-9].*");
    assertThat(outbound()).hasSizeGreaterThan(200_000).hasSizeLessThan(200_100);
  }

  @Test
  void rejectAFrameBeyondTheUnsentBytesOfAllChannels() {
    assertThat(unsent.reserve(400_000)).isNull(); // by another channel
    RecordingReplyHandler<String> told = new RecordingReplyHandler<>();
    sent(text(out -> out.writeBytes(new byte[200_000])), told);

    assertThat(told.failure().kind()).isEqualTo(NodeCallException.Kind.NOT_SENT);
    assertThat(told.failure().status()).isEqualTo(429);
    assertThat(told.failure())
        .hasMessageContaining("too many bytes unsent to all nodes: got 400000 and 2000")
        .hasMessageContaining("(expected: at most 524288)");
    assertThat(told.failure().isBeyondSharedBound()).isTrue();
    assertThat(counters.rejections.get()).isEqualTo(1);
    unsent.release(400_000);
    RecordingReplyHandler<String> later = new RecordingReplyHandler<>();
    sent(text(out -> out.writeBytes(new byte[200_000])), later);
    assertThat(outbound()).hasSizeGreaterThan(200_000);
    assertThat(unsent.heldBytes()).isZero();
  }

  @Test
  void refusesACallThatThereIsNoMemoryFor() {
    RecordingReplyHandler<String> told = new RecordingReplyHandler<>();
    NodeCall<String> large =
        text(out -> {
          out.writeBytes(new byte[100_000]);
          throw new OutOfMemoryError("no direct memory");
        });
    sent(large, told);

    assertThat(told.failure().kind()).isEqualTo(NodeCallException.Kind.NOT_SENT);
    assertThat(told.failure().status()).isEqualTo(429);
    assertThat(told.failure()).hasMessageContaining("no memory to send [test/text]");
    assertThat(told.failure().isBeyondSharedBound()).isTrue();
    assertThat(counters.rejections.get()).isEqualTo(1);
    RecordingReplyHandler<String> next = new RecordingReplyHandler<>();
    sent(text(), next);
    receive(answer(2, "fine"));
    assertThat(next.reply()).isEqualTo("fine");
  }

  @Test
  void failACallWithTooDeepNesting() {
    RecordingReplyHandler<String> told = new RecordingReplyHandler<>();
    sent(
        text(out -> {
          throw new StackOverflowError();
        }),
        told);

    assertThat(told.failure().kind()).isEqualTo(NodeCallException.Kind.NOT_SENT);
    assertThat(told.failure().status()).isEqualTo(500);
  }

  @Test
  void failACallWhoseClassesDoNotLoad() {
    RecordingReplyHandler<String> unwritten = new RecordingReplyHandler<>();
    RecordingReplyHandler<String> unread = new RecordingReplyHandler<>();
    RecordingReplyHandler<String> unreadElsewhere = new RecordingReplyHandler<>();
    sent(
        text(out -> {
          throw new NoClassDefFoundError("a payload, on purpose");
        }),
        unwritten);
    NodeCall<String> unreadable =
        text(
            out -> {},
            in -> {
              throw new NoClassDefFoundError("a reader, on purpose");
            });
    long id = sent(unreadable, unread).id();
    receive(answer(id, "x"));
    List<Runnable> elsewhere = new ArrayList<>();
    id = sent(unreadable, elsewhere::add, unreadElsewhere).id();
    receive(answer(id, "x"));
    elsewhere.forEach(Runnable::run);

    assertThat(unwritten.failure().kind()).isEqualTo(NodeCallException.Kind.NOT_SENT);
    assertThat(unread.failure().kind()).isEqualTo(NodeCallException.Kind.MALFORMED);
    assertThat(unreadElsewhere.failure().kind()).isEqualTo(NodeCallException.Kind.MALFORMED);
    assertThat(unsent.heldBytes()).isZero();
    assertThat(held.frames()).isZero();
    RecordingReplyHandler<String> next = new RecordingReplyHandler<>();
    id = sent(text(), next).id();
    receive(answer(id, "fine"));
    assertThat(next.reply()).isEqualTo("fine");
    assertThat(channel.isOpen()).isTrue();
  }

  @Test
  void keepsTheChannelWhenAHandlerBreaks() {
    RecordingReplyHandler<String> other = new RecordingReplyHandler<>();
    sent(
        text(),
        new ReplyHandler<String>() {
          @Override
          public void onReply(String reply, ReplyFrame frame) {
            throw new StackOverflowError();
          }

          @Override
          public void onFailure(NodeCallException why) {}
        });
    sent(text(), other);

    receive(answer(1, "breaks"));
    receive(answer(2, "goes on"));

    assertThat(channel.isOpen()).isTrue();
    assertThat(other.reply()).isEqualTo("goes on");
  }

  @Test
  void failCallsInFlightWhenTheConnectionIsLost() {
    RecordingReplyHandler<String> one = new RecordingReplyHandler<>();
    RecordingReplyHandler<String> two = new RecordingReplyHandler<>();
    sent(text(), one);
    sent(text(), two);
    channel.writeInbound(Unpooled.wrappedBuffer(answer(1, "never complete"), 0, 30));

    channel.close();
    channel.runPendingTasks();

    for (RecordingReplyHandler<String> told : List.of(one, two)) {
      assertThat(told.failure().kind()).isEqualTo(NodeCallException.Kind.CONNECTION_LOST);
      assertThat(told.failure().exception())
          .isInstanceOf(NodeDisconnectedException.class)
          .hasMessage("[dev-1][127.0.0.1:9301][test/text] disconnected");
    }
    assertThat(events).containsExactly("closed null");
    RecordingReplyHandler<String> after = new RecordingReplyHandler<>();
    sent(text(), after);
    assertThat(after.failure().kind()).isEqualTo(NodeCallException.Kind.NOT_SENT);
    assertThat(after.failure().exception())
        .hasMessage("[dev-1][127.0.0.1:9301] Node not connected");
    assertThat(counters.rejections.get()).isEqualTo(1);
  }

  @Test
  void skipsAnAnswerOverTheLimitAndNothingElse() {
    RecordingReplyHandler<String> one = new RecordingReplyHandler<>();
    RecordingReplyHandler<String> two = new RecordingReplyHandler<>();
    sent(text(), one);
    sent(text(), two);

    receive(NodeFrames.response(2, out -> out.writeBytes(new byte[1 << 20])));
    receive(answer(1, "x"));

    assertThat(two.failure().kind()).isEqualTo(NodeCallException.Kind.OVER_BUDGET);
    assertThat(two.failure().status()).isEqualTo(429);
    assertThat(two.failure()).hasMessageContaining("answer over the limit: got 10486");
    assertThat(two.failure().payloadPrefix()).isNotEmpty();
    assertThat(one.reply()).isEqualTo("x");
    assertThat(channel.isOpen()).isTrue();
  }

  /** A response repeats the headers of its request, and a client decides how long they are. */
  @Test
  void keepTheBeginningOfThePayloadBehindLongHeaders() {
    byte[] payload = new byte[1 << 20];
    new Random(3).nextBytes(payload);
    Map<String, List<String>> headers = Map.of("long", List.of("x".repeat(3 << 10)));
    RecordingReplyHandler<String> handler = new RecordingReplyHandler<>();
    long id = sent(text(), handler).id();
    receive(NodeFrames.response(id, out -> out.writeBytes(payload), headers, Marks.PLAIN));

    assertThat(handler.failure().kind()).isEqualTo(NodeCallException.Kind.OVER_BUDGET);
    assertThat(handler.failure().payloadPrefix()).isEqualTo(Arrays.copyOf(payload, 1024));
  }

  @Test
  void skipResponsesWithoutMemory() {
    List<Long> paid = new ArrayList<>();
    FrameBudget poor =
        new FrameBudget() {
          @Override
          public @Nullable Exception reserve(long bytes) {
            if (bytes > 1000) {
              return new CircuitBreakingException("poor", CircuitBreaker.Durability.TRANSIENT);
            }
            paid.add(bytes);
            return null;
          }

          @Override
          public void release(long bytes) {
            paid.add(-bytes);
          }
        };
    RecordingReplyHandler<String> small = new RecordingReplyHandler<>(false, poor);
    RecordingReplyHandler<String> large = new RecordingReplyHandler<>(false, poor);
    RecordingReplyHandler<String> inflating = new RecordingReplyHandler<>(false, poor);
    sent(text(), small);
    sent(text(), large);
    sent(text(), inflating);
    byte[] frame = answer(1, "x");

    receive(frame);
    receive(answer(2, "x".repeat(2_000)));
    receive(
        NodeFrames.response(
            3, out -> out.writeString("x".repeat(5_000)), Map.of(), Marks.COMPRESSED));

    assertThat(small.reply()).isEqualTo("x");
    for (RecordingReplyHandler<String> refused : List.of(large, inflating)) {
      assertThat(refused.failure().kind()).isEqualTo(NodeCallException.Kind.OVER_BUDGET);
      assertThat(refused.failure().exception()).hasMessage("poor");
      assertThat(refused.failure().status()).isEqualTo(429);
    }
    assertThat(new String(inflating.failure().payloadPrefix(), StandardCharsets.UTF_8))
        .endsWith("x".repeat(250));
    assertThat(paid)
        .startsWith(
            (long) frame.length - FrameLayout.HEADER_BYTES,
            (long) FrameLayout.HEADER_BYTES - frame.length);
    assertThat(paid.stream().mapToLong(Long::longValue).sum()).isZero();
    assertThat(channel.isOpen()).isTrue();
  }

  @Test
  void closesOnceDrained() {
    RecordingReplyHandler<String> told = new RecordingReplyHandler<>();
    sent(text(), told);

    wire.drain();
    assertThat(channel.isOpen()).isTrue();
    RecordingReplyHandler<String> late = new RecordingReplyHandler<>();
    sent(text(), late);
    assertThat(late.failure().kind()).isEqualTo(NodeCallException.Kind.NOT_SENT);
    receive(answer(1, "done"));

    assertThat(told.reply()).isEqualTo("done");
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void doesNotDrainForever() {
    RecordingReplyHandler<String> told = new RecordingReplyHandler<>();
    NodeCall<String> patient =
        new NodeCall<>(
            "test/text",
            out -> {},
            StreamInput::readString,
            ChannelKind.READ,
            Map.of(),
            Duration.ZERO);
    sent(patient, told);

    wire.drain();
    ticker.advance(60, TimeUnit.SECONDS);
    channel.runScheduledPendingTasks();

    assertThat(told.failure().kind()).isEqualTo(NodeCallException.Kind.CONNECTION_LOST);
  }

  @Test
  void pingsASilentNodeAndGivesItUp() {
    receive(answer(99, "heard"));
    assertThat(pingsAfter(20)).isZero();
    assertThat(pingsAfter(20)).isEqualTo(1);
    receive(new byte[] {'E', 'S', -1, -1, -1, -1});
    assertThat(pingsAfter(20)).isZero();
    for (int i = 0; i < 3; i++) {
      assertThat(channel.isOpen()).isTrue();
      assertThat(pingsAfter(20)).isEqualTo(1);
    }

    assertThat(pingsAfter(20)).isZero();

    assertThat(channel.isOpen()).isFalse();
    assertThat(events.getFirst()).contains("node silent: got nothing in answer to 3 pings");
  }

  private int pingsAfter(int seconds) {
    ticker.advance(seconds, TimeUnit.SECONDS);
    channel.runScheduledPendingTasks();
    channel.runPendingTasks();
    byte[] bytes = outbound();
    for (int i = 0; i < bytes.length; i += 6) {
      assertThat(Arrays.copyOfRange(bytes, i, i + 6)).containsExactly('E', 'S', 255, 255, 255, 255);
    }
    return bytes.length / 6;
  }
}
