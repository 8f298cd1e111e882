package dev.weir.http.body;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.http.HttpServerFixture;
import dev.weir.http.LineStreaming;
import dev.weir.http.ScriptedNode;
import dev.weir.http.SectionWorker;
import dev.weir.http.error.BodyTransformException;
import dev.weir.model.HttpExchange;
import dev.weir.model.RequestRouter;
import dev.weir.testkit.fixtures.RawHttpConnection;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Bodies that are transformed on each of the ways that a body can take. */
class TransformedBodyTest {
  private static final int BUDGET = 400_000;

  private final BlockingQueue<ScriptedNode.Request> seen = new LinkedBlockingQueue<>();
  private ScriptedNode node;

  @BeforeEach
  void start() throws IOException {
    node =
        new ScriptedNode(conversation -> {
          while (true) {
            seen.add(conversation.read());
            conversation.answer(200, "from the node");
          }
        });
  }

  @AfterEach
  void end() throws IOException {
    node.close();
  }

  /** Replaces one letter by two, and drops another one. */
  private static final class Longer implements BodyTransformer {
    @Override
    public void transform(ByteBuf from, ByteBuf to) {
      String text = from.toString(UTF_8);
      if (text.contains("!")) {
        throw new BodyTransformException("got ! (expected: less excitement)");
      }
      to.writeBytes(changed(text.getBytes(UTF_8)));
    }

    @Override
    public void finish(ByteBuf to) {}
  }

  private HttpServerFixture.Setup changing() {
    HttpServerFixture.Setup setup =
        new HttpServerFixture.Setup()
            .handler(exchange ->
                exchange.respond(HttpServerFixture.reply(200, HttpServerFixture.bodyOf(exchange))));
    setup.nodes = List.of(node.address());
    setup.budget = BUDGET;
    setup.change = Longer::new;
    return setup;
  }

  private static byte[] body(int length, String last) {
    String line = "a line, and another one\n";
    return (line.repeat(length / line.length()) + last).getBytes(UTF_8);
  }

  private static byte[] changed(byte[] body) {
    return new String(body, UTF_8).replace("a", "bb").getBytes(UTF_8);
  }

  private static void send(RawHttpConnection wire, byte[] body, String how) throws IOException {
    byte[] sent = how.contains("gzip") ? BufferedBodyTest.gzip(body) : body;
    wire.send(
        "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: "
            + sent.length
            + (how.contains("gzip") ? "\r\nContent-Encoding: gzip" : "")
            + "\r\n\r\n");
    wire.send(sent);
  }

  @ParameterizedTest
  @CsvSource({"plain, 50", "plain, 100000", "gzip, 50", "gzip, 100000"})
  void reachHandlers(String how, int length) throws Exception {
    byte[] body = body(length, "");
    try (HttpServerFixture rig = changing().start();
        RawHttpConnection wire = rig.connect()) {
      for (int i = 0; i < 2; i++) {
        send(wire, body, how);
        assertThat(wire.read().text()).isEqualTo(new String(changed(body), UTF_8));
      }
      send(wire, body(length, "!"), how);
      RawHttpConnection.Response refused = wire.read();
      assertThat(refused.status()).isEqualTo(400);
      assertThat(refused.text())
          .contains("illegal_argument_exception", "got ! (expected: less excitement)");
      send(wire, body, how);
      assertThat(wire.read().status()).as("on the same connection").isEqualTo(200);
    }
  }

  @ParameterizedTest
  @CsvSource({"plain, 1000", "plain, 300000", "gzip, 300000"})
  void areWorkedOnWhileTheyCome(String how, int length) throws Exception {
    byte[] body = body(length, "");
    SectionWorker worker = new SectionWorker(2);
    HttpServerFixture.Setup setup = changing().handler(worker);
    LineStreaming terms = new LineStreaming(30_000, 8 << 10, 64 << 10, 10_000);
    setup.router = (method, uri) -> new RequestRouter.Coordinate("bulk", terms);
    try (HttpServerFixture rig = setup.start();
        RawHttpConnection wire = rig.connect()) {
      send(wire, body, how);
      String answer = wire.read().text();
      if (length < 30_000) {
        assertThat(answer).isEqualTo("whole: " + changed(body).length);
      } else {
        assertThat(worker.body()).isEqualTo(changed(body));
      }
    }
  }

  @Test
  void tellTheirWorkerWhereTheyCantBeChanged() throws Exception {
    SectionWorker worker = new SectionWorker(2);
    HttpServerFixture.Setup setup = changing().handler(worker);
    LineStreaming terms = new LineStreaming(30_000, 8 << 10, 64 << 10, 10_000);
    setup.router = (method, uri) -> new RequestRouter.Coordinate("bulk", terms);
    try (HttpServerFixture rig = setup.start();
        RawHttpConnection wire = rig.connect()) {
      send(wire, body(200_000, "!\n"), "plain");
      assertThat(HttpServerFixture.await(worker.ended))
          .contains("got ! (expected: less excitement)");
      assertThat(wire.read().text()).contains("got ! (expected: less excitement)");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "passed, plain, 50",
    "passed, plain, 500000",
    "passed, gzip, 500000",
    "late, plain, 50",
    "outgrown, gzip, 500000",
    "outgrown, plain, 500000"
  })
  void passThroughToANode(String way, String how, int length) throws Exception {
    byte[] body = body(length, "");
    HttpServerFixture.Setup setup = changing().handler(exchange -> exchange.passThrough("late"));
    if (way.equals("passed")) {
      setup.passThrough(node.address());
    }
    try (HttpServerFixture rig = setup.start();
        RawHttpConnection wire = rig.connect()) {
      for (int i = 0; i < 2; i++) {
        send(wire, body, how);
        assertThat(wire.read().text()).isEqualTo("from the node");
        ScriptedNode.Request request =
            seen.poll(HttpServerFixture.PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertThat(request.body()).isEqualTo(changed(body));
        assertThat(request.header("content-encoding")).isEmpty();
      }
      send(wire, body(length, "!"), how);
      RawHttpConnection.Response refused = wire.read();
      assertThat(refused.status()).isEqualTo(400);
      assertThat(refused.text()).contains("got ! (expected: less excitement)");
      assertThat(seen).as("requests that are not whole").isEmpty();
    }
  }

  /** Copies a body until a chunk has a question mark; then it throws an OutOfMemoryError. */
  private static final class OutOfMemoryMidway implements BodyTransformer {
    @Override
    public void transform(ByteBuf from, ByteBuf to) {
      if (from.toString(UTF_8).contains("?")) {
        throw new OutOfMemoryError("got no direct memory (expected: some)");
      }
      to.writeBytes(from, from.readerIndex(), from.readableBytes());
    }

    @Override
    public void finish(ByteBuf to) {}
  }

  @ParameterizedTest
  @CsvSource({"passed", "outgrown"})
  void endTheProxiedRequestWhenMemoryRunsOutMidway(String way) throws Exception {
    HttpServerFixture.Setup setup = changing();
    setup.change = OutOfMemoryMidway::new;
    if (way.equals("passed")) {
      setup.passThrough(node.address());
    }
    try (HttpServerFixture rig = setup.start();
        RawHttpConnection wire = rig.connect()) {
      for (int i = 0; i < 2; i++) {
        send(wire, body(500_000, "?"), "plain");
        RawHttpConnection.Response rejected = wire.read();
        assertThat(rejected.status()).isEqualTo(429);
        assertThat(rejected.text()).contains("circuit_breaking_exception", "ran out of memory");
        assertThat(rig.log().status()).isEqualTo(429);
        assertThat(rig.proxy.stats().inFlight()).isZero();
      }
      send(wire, body(500_000, ""), "plain");
      assertThat(wire.read().text()).as("on the same connection").isEqualTo("from the node");
    }
    assertThat(seen).as("requests that are whole").hasSize(1);
  }

  @Test
  void transformForTheSecondCluster() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    HttpServerFixture.Setup setup =
        changing()
            .handler(exchange -> {
              exchange.markIncomplete();
              exchange.respond(HttpServerFixture.reply(503, HttpServerFixture.bodyOf(exchange)));
            })
            .standby(exchange ->
                exchange.respond(
                    HttpServerFixture.reply(
                        200, HttpServerFixture.bodyOf(exchange) + said(exchange))));
    setup.change = () -> asked.getAndIncrement() % 3 == 2 ? null : new Longer();
    try (HttpServerFixture rig = setup.start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.post("/a", "ab"));
      assertThat(wire.read().text()).as("as it came").isEqualTo("abab");
    }
    setup.change = () -> asked.getAndIncrement() % 3 == 2 ? new Longer() : null;
    asked.set(0);
    try (HttpServerFixture rig = setup.start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.post("/a", "ab!"));
      RawHttpConnection.Response first = wire.read();
      assertThat(first.status()).as("it can't be said there").isEqualTo(503);
      assertThat(first.text()).isEqualTo("ab!");
    }
  }

  /**
   * A node's rejection that arrives while a body is being sent and can no longer be transformed.
   */
  @Test
  void keepTheBodyAfterANodesRejection() throws Exception {
    CountDownLatch unsayable = new CountDownLatch(1);
    try (ScriptedNode early =
        new ScriptedNode(conversation -> {
          conversation.readHead();
          conversation.write("HTTP/1.1 429 Text\r\ncontent-length: 10\r\n\r\ntoo");
          await(unsayable);
          conversation.write(" heavy!");
          conversation.awaitClose();
        })) {
      HttpServerFixture.Setup setup = changing();
      setup.passThrough(early.address());
      setup.change =
          () ->
              new BodyTransformer() {
                @Override
                public void transform(ByteBuf from, ByteBuf to) {
                  if (from.toString(UTF_8).contains("!")) {
                    unsayable.countDown();
                    throw new BodyTransformException("got ! (expected: less excitement)");
                  }
                  to.writeBytes(from, from.readerIndex(), from.readableBytes());
                }

                @Override
                public void finish(ByteBuf to) {}
              };
      try (HttpServerFixture rig = setup.start();
          RawHttpConnection wire = rig.connect()) {
        byte[] begin = body(100_000, "");
        byte[] rest = ("!" + "a".repeat(300_000)).getBytes(UTF_8);
        wire.send(
            "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: "
                + (begin.length + rest.length)
                + "\r\n\r\n");
        wire.send(begin);
        assertThat(wire.readHead().status()).isEqualTo(429);
        wire.send(rest);
        StringBuilder text = new StringBuilder();
        byte[] some = new byte[10];
        while (text.length() < 10) {
          int read = wire.readSome(some);
          assertThat(read).as("more of the answer").isPositive();
          text.append(new String(some, 0, read, UTF_8));
        }
        assertThat(text).hasToString("too heavy!");
      }
    }
  }

  private static void await(CountDownLatch latch) throws IOException {
    try {
      if (!latch.await(HttpServerFixture.PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        throw new IOException("did not happen");
      }
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  @Test
  void arePaidForBeforeTheyAreMade() {
    FixedBodyBudget budget = new FixedBodyBudget(500_000);
    TransformedBody changed = new TransformedBody(budget, UnpooledByteBufAllocator.DEFAULT);
    AtomicLong taken = new AtomicLong();
    BodyTransformer manifold =
        new BodyTransformer() {
          @Override
          public void transform(ByteBuf from, ByteBuf to) {
            taken.addAndGet(from.readableBytes());
            for (int i = 0; i < 4; i++) {
              to.writeBytes(from, from.readerIndex(), from.readableBytes());
            }
          }

          @Override
          public void finish(ByteBuf to) {
            to.writeByte('.');
          }
        };
    assertThat(changed.transform(manifold, ByteBuffer.wrap(new byte[600_000])))
        .as("no room for as much as came")
        .isNotNull();
    assertThat(taken).hasValue(0);
    assertThat(changed.transform(manifold, ByteBuffer.wrap(new byte[400_000])))
        .as("no room for what it becomes")
        .isNotNull();
    assertThat(taken.getAndSet(0)).isBetween(100_000L, 300_000L);
    assertThat(budget.used()).isZero();
    assertThat(changed.transform(manifold, ByteBuffer.wrap(new byte[70_000]))).isNull();
    assertThat(taken).hasValue(70_000);
    assertThat(changed.orOriginal(ByteBuffer.allocate(0)).remaining()).isEqualTo(280_001);
    assertThat(budget.used()).isBetween(280_001L, 400_000L);
    changed.leaveToGarbageCollector();
    assertThat(budget.used()).isZero();
  }

  private static String said(HttpExchange exchange) {
    return UTF_8.decode(exchange.originalBody()).toString();
  }
}
