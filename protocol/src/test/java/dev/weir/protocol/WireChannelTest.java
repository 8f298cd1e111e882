package dev.weir.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.NodeEndpoint;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.opensearch.OpenSearchException;
import org.opensearch.Version;
import org.opensearch.core.common.breaker.CircuitBreaker;
import org.opensearch.core.common.breaker.CircuitBreakingException;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.core.common.io.stream.NotSerializableExceptionWrapper;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.core.common.transport.TransportAddress;
import org.opensearch.core.concurrency.OpenSearchRejectedExecutionException;
import org.opensearch.index.IndexNotFoundException;
import org.opensearch.transport.NodeDisconnectedException;
import org.opensearch.transport.ReceiveTimeoutTransportException;
import org.opensearch.transport.RemoteTransportException;
import org.opensearch.transport.SendRequestTransportException;
import org.opensearch.transport.TransportSerializationException;
import org.opensearch.transport.nativeprotocol.NodeFrames;
import org.opensearch.transport.nativeprotocol.NodeFrames.Marks;

class WireChannelTest implements Lane {
  private static final InetSocketAddress ADDRESS =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 9301);
  private static final NodeEndpoint NODE =
      new NodeEndpoint("id1", "eph1", "dev-1", ADDRESS, null, Set.of("data"), Map.of(), "3.8.0");
  private static final TransportOptions.Limits LIMITS =
      new TransportOptions.Limits(1 << 20, 1 << 16, 100, 10, 1 << 16);

  private final MockTicker ticker = Ticker.newMockTicker();
  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false);
  private final EmbeddedChannel channel = EmbeddedChannel.builder().ticker(ticker).build();
  private final HeldFrames held = new HeldFrames(FrameBudget.UNLIMITED);
  private final LoopContext context =
      new LoopContext(
          channel.eventLoop(),
          NioSocketChannel.class,
          new LoopContext.Shared(
              new NamedWriteableRegistry(List.of()),
              TransportOptions.standard().withLimits(LIMITS),
              held,
              allocator),
          new SplittableRandom(1));
  private final SlotCounters counters = new SlotCounters();
  private final List<String> events = new ArrayList<>();
  private final WireChannel wire =
      new WireChannel(
          context, Peer.of(NODE), counters, (which, why) -> events.add("closed " + why));

  WireChannelTest() {
    channel.config().setAllocator(allocator);
    channel.pipeline().addLast(wire);
    wire.ready(Version.CURRENT, false);
    wire.opened("eph1");
  }

  @AfterEach
  void restsEmpty() {
    channel.finishAndReleaseAll();
    context.close();
    assertThat(counters.inFlight.get()).isZero();
    assertThat(context.timeouts.size()).isZero();
    assertThat(held.frames()).isZero();
    assertThat(held.bytes()).isZero();
    assertThat(allocator.metric().usedHeapMemory()).isZero();
    assertThat(allocator.metric().usedDirectMemory()).isZero();
  }

  @Override
  public EventLoop loop() {
    return channel.eventLoop();
  }

  @Override
  public void send(Call<?> call) {
    call.started(ticker.nanoTime());
    if (!call.request().timeout().isZero()) {
      context.timeouts.add(call, call.request().timeout().toNanos());
    }
    wire.send(call);
  }

  @Override
  public void forget(Call<?> call) {
    wire.forget(call);
  }

  @Override
  public void onTimeout(Call<?> call) {
    wire.timedOut(call);
  }

  private static NodeCall<String> text(Writeable payload) {
    return new NodeCall<>(
        "test/text",
        payload,
        StreamInput::readString,
        ChannelKind.READ,
        Map.of(),
        Duration.ofSeconds(30));
  }

  private static NodeCall<String> text() {
    return text(out -> out.writeString("question"));
  }

  private <R> Call<R> sent(NodeCall<R> call, ReplyHandler<R> handler) {
    return sent(call, channel.eventLoop(), handler);
  }

  private <R> Call<R> sent(NodeCall<R> call, Executor home, ReplyHandler<R> handler) {
    Call<R> pending = new Call<>(call, home, handler, this);
    send(pending);
    channel.runPendingTasks();
    return pending;
  }

  private byte[] outbound() {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (ByteBuf next = channel.readOutbound(); next != null; next = channel.readOutbound()) {
      byte[] bytes = new byte[next.readableBytes()];
      next.readBytes(bytes);
      all.writeBytes(bytes);
      next.release();
    }
    return all.toByteArray();
  }

  private void receive(byte[] frame) {
    channel.writeInbound(Unpooled.wrappedBuffer(frame));
    channel.runPendingTasks();
  }

  private static byte[] answer(long id, String text) {
    return NodeFrames.response(id, out -> out.writeString(text));
  }

  private static byte[] error(long id, Exception error) {
    RemoteTransportException remote =
        new RemoteTransportException("dev-1", new TransportAddress(ADDRESS), "test/text", error);
    return NodeFrames.response(id, remote, Map.of(), Marks.PLAIN);
  }

  @Test
  void writesRequestsAsANodeWouldAndReadsItsAnswers() {
    RecordedReply<String> first = new RecordedReply<>();
    RecordedReply<String> second = new RecordedReply<>();
    Map<String, String> headers = Map.of("X-Opaque-Id", "ïd");
    Writeable question = out -> out.writeString("question");
    NodeCall<String> withHeaders =
        new NodeCall<>(
            "test/text",
            question,
            StreamInput::readString,
            ChannelKind.READ,
            headers,
            Duration.ZERO);

    sent(withHeaders, first);
    assertThat(outbound())
        .isEqualTo(NodeFrames.request(1, "test/text", question, headers, Marks.PLAIN));
    sent(text(), second);
    assertThat(outbound())
        .isEqualTo(NodeFrames.request(2, "test/text", question, Map.of(), Marks.PLAIN));
    assertThat(counters.inFlight.get()).isEqualTo(2);

    receive(answer(2, "two"));
    receive(
        NodeFrames.response(
            1,
            out -> out.writeString("one"),
            Map.of("Warning", List.of("old", "älter"), "X", List.of("y")),
            Marks.PLAIN));

    assertThat(first.reply()).isEqualTo("one");
    assertThat(first.headers())
        .isEqualTo(Map.of("Warning", Set.of("old", "älter"), "X", Set.of("y")));
    assertThat(second.reply()).isEqualTo("two");
    assertThat(second.headers()).isEmpty();
  }

  @Test
  void writesTheVersionHandshakeAsANodeWould() throws IOException {
    Call<Version> call =
        new Call<>(
            Handshake.version(Duration.ofSeconds(1)),
            channel.eventLoop(),
            new RecordedReply<>(),
            this);
    wire.sendHandshake(call);
    channel.runPendingTasks();
    byte[] bytes = outbound();

    // 137297827 as a vint is what a node of version 3.8.0 says of itself.
    assertThat(Version.CURRENT).isEqualTo(Version.fromString("3.8.0"));
    assertThat(bytes)
        .isEqualTo(
            NodeFrames.request(
                1,
                "internal:tcp/handshake",
                out -> {
                  out.writeString("");
                  out.writeVInt(4);
                  out.writeVInt(137297827);
                },
                Map.of(),
                new Marks(Version.fromString("2.19.0"), true, false)));
    receive(NodeFrames.response(1, out -> out.writeVersion(Version.CURRENT)));
  }

  @Test
  void compressesBothWays() {
    wire.ready(Version.CURRENT, true);
    String question = "abc".repeat(20_000);
    RecordedReply<String> told = new RecordedReply<>();

    sent(text(out -> out.writeString(question)), told);
    byte[] request = outbound();
    receive(
        NodeFrames.response(
            1, out -> out.writeString("xyz".repeat(9_000)), Map.of(), Marks.COMPRESSED));

    assertThat(request).hasSizeLessThan(2_000);
    assertThat(told.reply()).isEqualTo("xyz".repeat(9_000));
  }

  @Test
  void refusesToInflateBeyondTheLimit() {
    RecordedReply<String> told = new RecordedReply<>();
    sent(text(), told);

    receive(
        NodeFrames.response(
            1, out -> out.writeBytes(new byte[(1 << 16) + 1]), Map.of(), Marks.COMPRESSED));

    assertThat(told.failure().kind()).isEqualTo(NodeFailure.Kind.MALFORMED);
    assertThat(told.failure()).hasMessageContaining("inflated answer over the limit");
    assertThat(channel.isOpen()).isTrue();
  }

  @Test
  void refusesBrokenCompression() {
    byte[] good =
        NodeFrames.response(1, out -> out.writeBytes(new byte[500]), Map.of(), Marks.COMPRESSED);
    for (int kind = 0; kind < 3; kind++) {
      RecordedReply<String> told = new RecordedReply<>();
      long id = sent(text(), told).id();
      byte[] bad = good.clone();
      bad[13] = (byte) id;
      int payload = Wire.HEAD + bad[22];
      switch (kind) {
        case 0 -> bad[payload] = 'X';
        case 1 -> bad[payload + 5] = (byte) (bad[payload + 5] ^ 0x7F);
        default -> {
          bad = Arrays.copyOf(bad, bad.length - 3);
          bad[5] = (byte) (bad[5] - 3);
        }
      }
      receive(bad);
      assertThat(told.failure().kind()).as("kind %d", kind).isEqualTo(NodeFailure.Kind.MALFORMED);
    }
    assertThat(channel.isOpen()).isTrue();
  }

  @Test
  void givesErrorsAsANodeWouldGetThem() {
    RecordedReply<String> told = new RecordedReply<>();
    sent(text(), told);

    receive(error(1, new IndexNotFoundException("logs")));

    NodeFailure failure = told.failure();
    assertThat(failure.kind()).isEqualTo(NodeFailure.Kind.REMOTE);
    assertThat(failure.nodeId()).isEqualTo("id1");
    assertThat(failure.status()).isEqualTo(404);
    assertThat(failure.exception())
        .isInstanceOf(RemoteTransportException.class)
        .hasMessage("[dev-1][127.0.0.1:9301][test/text]")
        .hasCauseInstanceOf(IndexNotFoundException.class);
  }

  private static final class FromAPlugin extends OpenSearchException {
    private static final long serialVersionUID = 1L;

    FromAPlugin() {
      super("of a plugin");
    }
  }

  @Test
  void keepsErrorsOfClassesThatNobodyKnows() {
    RecordedReply<String> told = new RecordedReply<>();
    sent(text(), told);

    receive(error(1, new FromAPlugin()));

    assertThat(told.failure().kind()).isEqualTo(NodeFailure.Kind.REMOTE);
    assertThat(told.failure().exception())
        .isInstanceOf(RemoteTransportException.class)
        .hasCauseInstanceOf(NotSerializableExceptionWrapper.class)
        .cause()
        .hasMessageContaining("of a plugin");
  }

  @Test
  void failsACallWhoseAnswerCannotBeRead() {
    for (byte[] payload : List.of(new byte[] {9, 'x'}, new byte[] {1, 'x', 'y'}, new byte[0])) {
      RecordedReply<String> told = new RecordedReply<>();
      long id = sent(text(), told).id();
      receive(NodeFrames.response(id, out -> out.writeBytes(payload)));

      assertThat(told.failure().kind()).isEqualTo(NodeFailure.Kind.MALFORMED);
      assertThat(told.failure().exception())
          .isInstanceOf(RemoteTransportException.class)
          .hasCauseInstanceOf(TransportSerializationException.class);
    }
    assertThat(channel.isOpen()).isTrue();
  }

  @Test
  void survivesReadersThatOverflowTheStack() {
    NodeCall<String> endless =
        new NodeCall<>(
            "test/deep", out -> {}, new Endless(), ChannelKind.READ, Map.of(), Duration.ZERO);
    RecordedReply<String> told = new RecordedReply<>();
    sent(endless, told);

    receive(answer(1, "x"));

    assertThat(told.failure().kind()).isEqualTo(NodeFailure.Kind.MALFORMED);
  }

  private static final class Endless implements Writeable.Reader<String> {
    @Override
    @SuppressWarnings("InfiniteRecursion")
    public String read(StreamInput in) throws IOException {
      return 1 + read(in);
    }
  }

  @Test
  void timesOutInOpenSearchsWords() {
    RecordedReply<String> told = new RecordedReply<>();
    sent(text(), told);
    ticker.advance(29_999, TimeUnit.MILLISECONDS);
    channel.runScheduledPendingTasks();
    assertThat(told.isTold()).isFalse();

    ticker.advance(11, TimeUnit.MILLISECONDS);
    channel.runScheduledPendingTasks();

    assertThat(told.failure().kind()).isEqualTo(NodeFailure.Kind.TIMED_OUT);
    assertThat(told.failure().exception())
        .isInstanceOf(ReceiveTimeoutTransportException.class)
        .hasMessage("[dev-1][127.0.0.1:9301][test/text] request_id [1] timed out after [30010ms]");
    assertThat(counters.timedOut.get()).isEqualTo(1);

    receive(answer(1, "too late"));
    assertThat(counters.orphans.get()).isEqualTo(1);
  }

  @Test
  void dropsTheAnswerOfAForgottenCallWithoutTakingMemory() {
    RecordedReply<String> told = new RecordedReply<>();
    Call<String> call = sent(text(), told);

    assertThat(call.forget()).isTrue();
    assertThat(call.forget()).isFalse();
    assertThat(counters.inFlight.get()).isZero();
    assertThat(context.timeouts.size()).isZero();
    byte[] late = NodeFrames.response(1, out -> out.writeBytes(new byte[10_000]));
    channel.writeInbound(Unpooled.wrappedBuffer(late, 0, 500));
    assertThat(held.frames()).isZero();
    channel.writeInbound(Unpooled.wrappedBuffer(late, 500, late.length - 500));

    assertThat(told.isTold()).isFalse();
    assertThat(counters.orphans.get()).isEqualTo(1);
  }

  @Test
  void dropsAnAnswerThatWasForgottenWhileItCame() {
    RecordedReply<String> told = new RecordedReply<>();
    Call<String> call = sent(text(), told);
    byte[] frame = answer(1, "x".repeat(1000));
    channel.writeInbound(Unpooled.wrappedBuffer(frame, 0, 500));
    assertThat(held.frames()).isEqualTo(1);

    call.forget();
    channel.writeInbound(Unpooled.wrappedBuffer(frame, 500, frame.length - 500));

    assertThat(told.isTold()).isFalse();
    assertThat(held.frames()).isZero();
    assertThat(counters.orphans.get()).isEqualTo(1);
  }

  @Test
  void dropsAnAnswerThatIsForgottenOnItsWayHome() {
    List<Runnable> home = new ArrayList<>();
    RecordedReply<String> told = new RecordedReply<>();
    Call<String> call = sent(text(), home::add, told);
    receive(answer(1, "x"));
    assertThat(home).hasSize(1);
    assertThat(held.frames()).isEqualTo(1);

    assertThat(call.forget()).isTrue();
    home.forEach(Runnable::run);

    assertThat(told.isTold()).isFalse();
    assertThat(held.frames()).isZero();
  }

  @Test
  void tellsNothingFromWithinSend() {
    RecordedReply<String> told = new RecordedReply<>();
    NodeCall<String> broken =
        text(out -> {
          out.writeBytes(new byte[100_000]);
          throw new IOException("cannot write");
        });
    Call<String> call = new Call<>(broken, channel.eventLoop(), told, this);

    send(call);
    assertThat(told.isTold()).isFalse();
    channel.runPendingTasks();

    assertThat(told.failure().kind()).isEqualTo(NodeFailure.Kind.NOT_SENT);
    assertThat(told.failure().exception())
        .isInstanceOf(SendRequestTransportException.class)
        .hasMessage("[dev-1][127.0.0.1:9301][test/text]");
    RecordedReply<String> next = new RecordedReply<>();
    sent(text(), next);
    receive(answer(2, "fine"));
    assertThat(next.reply()).isEqualTo("fine");
  }

  @Test
  void encodesACallThatIsSentWhileAnotherIsEncoded() {
    RecordedReply<String> inner = new RecordedReply<>();
    RecordedReply<String> outer = new RecordedReply<>();
    sent(
        text(out -> {
          out.writeString("question");
          sent(text(), inner);
        }),
        outer);

    Writeable question = out -> out.writeString("question");
    byte[] second = NodeFrames.request(2, "test/text", question, Map.of(), Marks.PLAIN);
    byte[] first = NodeFrames.request(1, "test/text", question, Map.of(), Marks.PLAIN);
    assertThat(outbound()).startsWith(second).endsWith(first).hasSize(first.length + second.length);
    receive(answer(1, "outer"));
    receive(answer(2, "inner"));
    assertThat(outer.reply()).isEqualTo("outer");
    assertThat(inner.reply()).isEqualTo("inner");
  }

  @Test
  void refusesMoreCallsInFlightThanItsBound() {
    for (int i = 0; i < 100; i++) {
      sent(text(), new RecordedReply<>());
    }
    RecordedReply<String> told = new RecordedReply<>();
    sent(text(), told);

    assertThat(told.failure().kind()).isEqualTo(NodeFailure.Kind.NOT_SENT);
    assertThat(told.failure().status()).isEqualTo(429);
    assertThat(told.failure().exception())
        .isInstanceOf(OpenSearchRejectedExecutionException.class)
        .hasMessage("[dev-1] too many calls in flight: got 100 (expected: fewer than 100)");
    assertThat(counters.refused.get()).isEqualTo(1);
  }

  @Test
  void refusesCallsWhileTooManyBytesWait() {
    channel
        .config()
        .setOption(
            ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(1 << 15, 1 << 16));
    Call<String> large =
        new Call<>(
            text(out -> out.writeBytes(new byte[200_000])),
            channel.eventLoop(),
            new RecordedReply<>(),
            this);
    RecordedReply<String> told = new RecordedReply<>();
    Call<String> small = new Call<>(text(), channel.eventLoop(), told, this);

    send(large);
    send(small);
    channel.runPendingTasks();

    assertThat(told.failure().kind()).isEqualTo(NodeFailure.Kind.NOT_SENT);
    assertThat(told.failure()).hasMessageContaining("too many bytes unsent: got about");
    assertThat(outbound()).hasSizeGreaterThan(200_000).hasSizeLessThan(200_100);
  }

  @Test
  void losesWhatIsInFlightWithItsConnection() {
    RecordedReply<String> one = new RecordedReply<>();
    RecordedReply<String> two = new RecordedReply<>();
    sent(text(), one);
    sent(text(), two);
    channel.writeInbound(Unpooled.wrappedBuffer(answer(1, "never complete"), 0, 30));

    channel.close();
    channel.runPendingTasks();

    for (RecordedReply<String> told : List.of(one, two)) {
      assertThat(told.failure().kind()).isEqualTo(NodeFailure.Kind.CONNECTION_LOST);
      assertThat(told.failure().exception())
          .isInstanceOf(NodeDisconnectedException.class)
          .hasMessage("[dev-1][127.0.0.1:9301][test/text] disconnected");
    }
    assertThat(events).containsExactly("closed null");
    RecordedReply<String> after = new RecordedReply<>();
    sent(text(), after);
    assertThat(after.failure().kind()).isEqualTo(NodeFailure.Kind.NOT_SENT);
    assertThat(after.failure().exception())
        .hasMessage("[dev-1][127.0.0.1:9301] Node not connected");
  }

  @Test
  void closesOnAFrameOverTheLimitAndBlamesItsCall() {
    RecordedReply<String> one = new RecordedReply<>();
    RecordedReply<String> two = new RecordedReply<>();
    sent(text(), one);
    sent(text(), two);

    receive(NodeFrames.response(2, out -> out.writeBytes(new byte[1 << 20])));

    assertThat(two.failure().kind()).isEqualTo(NodeFailure.Kind.MALFORMED);
    assertThat(two.failure()).hasMessageContaining("frame over the limit: got 10486");
    assertThat(one.failure().kind()).isEqualTo(NodeFailure.Kind.CONNECTION_LOST);
    assertThat(channel.isOpen()).isFalse();
    assertThat(events.getFirst()).contains("frame over the limit");
  }

  @Test
  void skipsAnswersThatNobodyPaysFor() {
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
    RecordedReply<String> small = new RecordedReply<>(false, poor);
    RecordedReply<String> large = new RecordedReply<>(false, poor);
    RecordedReply<String> inflating = new RecordedReply<>(false, poor);
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
    for (RecordedReply<String> refused : List.of(large, inflating)) {
      assertThat(refused.failure().kind()).isEqualTo(NodeFailure.Kind.OVER_BUDGET);
      assertThat(refused.failure().exception()).hasMessage("poor");
      assertThat(refused.failure().status()).isEqualTo(429);
    }
    assertThat(paid).startsWith((long) frame.length - Wire.HEAD, (long) Wire.HEAD - frame.length);
    assertThat(paid.stream().mapToLong(Long::longValue).sum()).isZero();
    assertThat(channel.isOpen()).isTrue();
  }

  @Test
  void keepsARetainedFrameUntilItIsReleased() {
    NodeCall<BytesReference> call =
        new NodeCall<>(
            "test/bytes",
            out -> {},
            StreamInput::readBytesReference,
            ChannelKind.READ,
            Map.of(),
            Duration.ZERO);
    RecordedReply<BytesReference> told = new RecordedReply<>(true, null);
    sent(call, told);

    receive(NodeFrames.response(1, out -> out.writeBytesReference(new BytesArray("source"))));

    assertThat(held.frames()).isEqualTo(1);
    assertThat(told.reply().utf8ToString()).isEqualTo("source");
    told.frame().release();
    assertThat(held.frames()).isZero();
  }

  @Test
  void ignoresRequestsOfTheNode() {
    sent(text(), new RecordedReply<>());

    receive(NodeFrames.request(1, "test/text", out -> {}, Map.of(), Marks.PLAIN));

    assertThat(counters.inFlight.get()).isEqualTo(1);
    assertThat(counters.orphans.get()).isEqualTo(1);
  }

  @Test
  void closesOnceDrained() {
    RecordedReply<String> told = new RecordedReply<>();
    sent(text(), told);

    wire.drain();
    assertThat(channel.isOpen()).isTrue();
    RecordedReply<String> late = new RecordedReply<>();
    sent(text(), late);
    assertThat(late.failure().kind()).isEqualTo(NodeFailure.Kind.NOT_SENT);
    receive(answer(1, "done"));

    assertThat(told.reply()).isEqualTo("done");
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void doesNotDrainForever() {
    RecordedReply<String> told = new RecordedReply<>();
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

    assertThat(told.failure().kind()).isEqualTo(NodeFailure.Kind.CONNECTION_LOST);
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

  @Test
  void survivesAHandlerThatThrows() {
    sent(
        text(),
        new ReplyHandler<>() {
          @Override
          public void onReply(String reply, ReplyFrame frame) {
            throw new IllegalStateException("a bug, on purpose");
          }

          @Override
          public void onFailure(NodeFailure failure) {}
        });
    RecordedReply<String> told = new RecordedReply<>();
    sent(text(), told);

    receive(answer(1, "x"));
    receive(answer(2, "y"));

    assertThat(told.reply()).isEqualTo("y");
    assertThat(held.frames()).isZero();
  }
}
