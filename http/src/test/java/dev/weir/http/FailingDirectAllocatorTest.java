package dev.weir.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.http.body.BodyTransformer;
import dev.weir.http.body.FixedBodyBudget;
import dev.weir.http.connection.ClientConnection;
import dev.weir.http.intake.Destination;
import dev.weir.http.intake.HeaderFilter;
import dev.weir.http.intake.RequestEnvironment;
import dev.weir.http.options.HttpOptions;
import dev.weir.http.proxy.NodeProxy;
import dev.weir.model.BodySource;
import dev.weir.model.BufferedResponse;
import dev.weir.model.CompletedRequest;
import dev.weir.model.HttpExchange;
import dev.weir.model.RequestHandler;
import dev.weir.model.RequestRouter;
import dev.weir.model.StreamingResponse;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpVersion;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests for which memory runs out: they end and release everything. */
class FailingDirectAllocatorTest {
  private static final int PIECE = 64 << 10;

  private final FailingDirectAllocator memory = new FailingDirectAllocator();
  private final FixedBodyBudget budget = new FixedBodyBudget(64 << 20);
  private final List<CompletedRequest> logged = new ArrayList<>();
  private final AtomicInteger released = new AtomicInteger();
  private final EmbeddedChannel channel = new EmbeddedChannel();
  private RequestHandler handler = exchange -> taken = exchange;
  private @Nullable HttpExchange taken;
  private @Nullable Supplier<BodyTransformer> change;
  private HeaderFilter gate = HeaderFilter.ADMIT_ALL;
  private @Nullable Function<HttpExchange, @Nullable Destination> settled;

  /** Leaves a body unchanged. */
  private static final class Same implements BodyTransformer {
    @Override
    public void transform(ByteBuf from, ByteBuf to) {
      to.writeBytes(from, from.readerIndex(), from.readableBytes());
    }

    @Override
    public void finish(ByteBuf to) {}
  }

  private class Here implements Destination {
    @Override
    public RequestRouter router() {
      return (method, uri) -> new RequestRouter.Coordinate("test");
    }

    @Override
    public RequestHandler handler() {
      return handler;
    }

    @Override
    public NodeProxy proxy() {
      throw new OutOfMemoryError("got no memory for a passage (expected: some)");
    }

    @Override
    public boolean transformsBodies() {
      return change != null;
    }

    @Override
    public @Nullable BodyTransformer bodyTransformer(String uri, @Nullable String contentType) {
      return change == null ? null : change.get();
    }

    @Override
    public @Nullable Destination resolveByBody(HttpExchange whole) {
      return settled == null ? null : settled.apply(whole);
    }
  }

  private final class PassingThrough extends Here {
    @Override
    public RequestRouter router() {
      return (method, uri) -> new RequestRouter.PassThrough("test");
    }
  }

  @AfterEach
  void holdsNothing() {
    answer(channel::finishAndReleaseAll);
    assertThat(logged).hasSize(1);
    assertThat(budget.used()).isZero();
    assertThat(memory.used()).isZero();
  }

  private void ask(String body, String coding) {
    HttpOptions standard = HttpOptions.standard(HttpServerFixture.VERSION);
    Destination here = new Here();
    RequestEnvironment desk =
        new RequestEnvironment(
            head -> here, gate, budget, logged::add, number -> false, System::nanoTime);
    channel.config().setAllocator(memory);
    channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(PIECE, 1 << 20));
    channel
        .pipeline()
        .addLast(new ClientConnection(HttpServer.newContext(standard, desk), null, null));
    DefaultFullHttpRequest request =
        new DefaultFullHttpRequest(
            HttpVersion.HTTP_1_1,
            HttpMethod.POST,
            "/a",
            Unpooled.wrappedBuffer(body.getBytes(StandardCharsets.UTF_8)));
    request.headers().set(HttpHeaderNames.CONTENT_LENGTH, Integer.toString(body.length()));
    if (!coding.equals("plain")) {
      request.headers().set(HttpHeaderNames.ACCEPT_ENCODING, coding);
    }
    channel.writeInbound(request);
  }

  private HttpExchange taken() {
    return Objects.requireNonNull(taken, "got no request (expected: one for the handler)");
  }

  /** Responds like a handler that catches all exceptions. */
  private void answer(Runnable answering) {
    try {
      answering.run();
      channel.runPendingTasks();
    } catch (OutOfMemoryError e) {
      // the test checks that the request has ended anyway
    }
  }

  private BufferedResponse reply(int length) {
    byte[] body = new byte[length];
    Arrays.fill(body, (byte) 'x');
    return new BufferedResponse(
        200, "text/plain", List.of(), List.of(ByteBuffer.wrap(body)), released::incrementAndGet);
  }

  private int answered() {
    FullHttpResponse answer = channel.readOutbound();
    assertThat(answer).as("an answer").isNotNull();
    answer.release();
    return answer.status().code();
  }

  /** For a body of less than a chunk nothing is written yet; for a longer one more follows. */
  @ParameterizedTest
  @CsvSource({
    "plain, 777, 777",
    "plain, 200000, 3392",
    "gzip, 1000, 256",
    "gzip, 1000, 1000",
    "gzip, 2000000, 32768"
  })
  void abortAResponseThatCannotBeWritten(String coding, int length, int refused) {
    ask("body", coding);
    memory.refuse(refused);
    answer(() -> taken().respond(reply(length)));

    assertThat(channel.isOpen()).isFalse();
    assertThat(released).hasValue(1);
    assertThat(logged).singleElement().extracting(CompletedRequest::status).isEqualTo(499);
  }

  /** The last chunk has a separate turn of the event loop, without a caller. */
  @Test
  void abortAResponseThatFailsAtItsEnd() {
    handler = exchange -> exchange.respond(reply(2_000_000));
    memory.refuse(33_920);
    answer(() -> ask("body", "gzip"));

    assertThat(memory.given(PIECE)).isEqualTo(30);
    assertThat(channel.isOpen()).isFalse();
    assertThat(released).hasValue(1);
  }

  @Test
  void resumeAResponseOncePerTurn() {
    List<Integer> pieces = new ArrayList<>();
    handler =
        exchange -> { // while it is handled no other task has its turn
          exchange.respond(reply(2_000_000));
          for (int i = 0; i < 3; i++) {
            pieces.add(memory.given(PIECE));
            channel.pipeline().fireChannelWritabilityChanged();
          }
          pieces.add(memory.given(PIECE));
        };
    ask("body", "gzip");

    assertThat(pieces).containsExactly(4, 4, 4, 4);
    assertThat(memory.given(PIECE)).isEqualTo(30);
    assertThat(channel.isOpen()).isTrue();
    assertThat(released).hasValue(1);
    assertThat(logged).singleElement().extracting(CompletedRequest::status).isEqualTo(200);
  }

  /** Writes one part, and fails when the client reads on. */
  private static final class OnePart implements BodySource {
    private final int length;
    private final AtomicInteger released = new AtomicInteger();
    private @Nullable Boolean complete;

    OnePart(int length) {
      this.length = length;
    }

    @Override
    public void onStart(Sink taker) {
      taker.write(List.of(ByteBuffer.allocate(length)), released::incrementAndGet);
    }

    @Override
    public void onWritable() {
      throw new OutOfMemoryError("got no memory for a part (expected: some)");
    }

    @Override
    public void onClosed(boolean all) {
      assertThat(complete).as("over before").isNull();
      complete = all;
    }
  }

  @ParameterizedTest
  @CsvSource({
    "plain, 777, 777", // at once
    "gzip, 777, 32768", // with a piece at hand
    "plain, 600000, 10176" // in a later turn
  })
  void abortAResponseThatCannotBeProduced(String coding, int length, int refused) {
    OnePart part = new OnePart(length);
    ask("body", coding);
    memory.refuse(refused);
    answer(() -> taken().respond(streamed(part)));

    assertThat(channel.isOpen()).isFalse();
    assertThat(part.complete).isFalse();
    assertThat(part.released).hasValue(1);
    assertThat(released).hasValue(1);
  }

  @Test
  void abortAResponseWhoseSourceFailsLater() {
    OnePart part = new OnePart(600_000);
    handler = exchange -> exchange.respond(streamed(part));
    answer(() -> ask("body", "plain"));

    assertThat(channel.isOpen()).isFalse();
    assertThat(part.complete).isFalse();
    assertThat(released).hasValue(1);
  }

  private StreamingResponse streamed(OnePart part) {
    return new StreamingResponse(200, "text/plain", List.of(), part, released::incrementAndGet);
  }

  @Test
  void rejectABodyThatCannotBeTransformed() {
    change = Same::new;
    memory.refuse(PIECE);
    ask("b".repeat(20_000), "plain");

    assertThat(taken).isNull();
    assertThat(answered()).isEqualTo(429);
    assertThat(channel.isOpen()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void releaseTheBodyWhenTheHandlerRunsOutOfMemory(boolean handled) {
    if (handled) {
      handler =
          _ -> {
            throw new OutOfMemoryError("got no memory to work in (expected: some)");
          };
    } else {
      settled =
          _ -> {
            throw new OutOfMemoryError("got no memory to read in (expected: some)");
          };
    }
    ask("b".repeat(20_000), "plain");

    assertThat(answered()).isEqualTo(500);
    assertThat(channel.isOpen()).isTrue();
    assertThat(budget.used()).isZero();
  }

  @Test
  void abortARequestThatFailsAfterItsDelay() {
    ScriptedHeaderFilter waiting =
        ScriptedHeaderFilter.doing(_ -> List.of(new HeaderFilter.Delay(1), HeaderFilter.Admit.NOW));
    gate = waiting;
    change =
        () -> {
          throw new OutOfMemoryError("got no memory to begin with (expected: some)");
        };
    ask("body", "plain");
    channel.advanceTimeBy(1, TimeUnit.SECONDS);
    channel.runScheduledPendingTasks();

    assertThat(waiting.seen).singleElement().extracting(seen -> seen.asked.get()).isEqualTo(2);
    assertThat(waiting.ended).hasSize(1);
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void abortARequestThatFailsOnItsWayToANode() {
    settled = _ -> new PassingThrough();
    ask("b".repeat(20_000), "plain");

    assertThat(channel.isOpen()).isFalse();
    assertThat(channel.<Object>readOutbound()).isNull();
    assertThat(budget.used()).isZero();
  }
}
