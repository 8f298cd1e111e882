package dev.weir.http.body;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.http.HttpServerFixture;
import dev.weir.http.LineStreaming;
import dev.weir.http.ScriptedNode;
import dev.weir.http.SectionWorker;
import dev.weir.http.options.HttpLimits;
import dev.weir.model.HttpExchange;
import dev.weir.model.RequestHandler;
import dev.weir.model.RequestRouter;
import dev.weir.testkit.fixtures.RawHttpConnection;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bodies that are processed in sections while they arrive. */
class StreamedBodyTest {
  private static final int OVER = 30_000;
  private static final int SECTION = 8 << 10;
  private static final int WINDOW = 64 << 10;

  private static HttpServerFixture.Setup streaming(RequestHandler worker) {
    return streaming(worker, 10_000);
  }

  private static HttpServerFixture.Setup streaming(RequestHandler worker, int mostItems) {
    return streaming(worker, new LineStreaming(OVER, SECTION, WINDOW, mostItems));
  }

  private static HttpServerFixture.Setup streaming(RequestHandler worker, LineStreaming terms) {
    HttpServerFixture.Setup setup = new HttpServerFixture.Setup().handler(worker);
    setup.router = (method, uri) -> new RequestRouter.Coordinate("bulk", terms);
    setup.budget = 1 << 20;
    return setup;
  }

  /** Lines of different lengths, some of which are longer than a section. */
  private static byte[] lines(int bytes, int longest) {
    Random random = new Random(bytes);
    byte[] body = new byte[bytes];
    for (int i = 0; i < bytes; i++) {
      body[i] = (byte) ('a' + random.nextInt(20));
    }
    for (int at = 0;
        at < bytes;
        at += 1 + random.nextInt(random.nextInt(40) == 0 ? longest : 300)) {
      body[at] = '\n';
    }
    body[bytes - 1] = '\n';
    return body;
  }

  private static long count(byte[] body) {
    long lines = 0;
    for (byte b : body) {
      lines += b == '\n' ? 1 : 0;
    }
    return lines;
  }

  private static byte[] chunked(byte[] body, int most) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Random random = new Random(3);
    for (int from = 0; from < body.length; ) {
      int size = Math.min(body.length - from, 1 + random.nextInt(most));
      out.writeBytes((Integer.toHexString(size) + "\r\n").getBytes(US_ASCII));
      out.write(body, from, size);
      out.writeBytes("\r\n".getBytes(US_ASCII));
      from += size;
    }
    out.writeBytes("0\r\n\r\n".getBytes(US_ASCII));
    return out.toByteArray();
  }

  private static String head(String... headers) {
    return "POST /_bulk HTTP/1.1\r\nHost: x\r\n" + String.join("\r\n", headers) + "\r\n\r\n";
  }

  private static void send(RawHttpConnection wire, String how, byte[] body) throws IOException {
    byte[] coded = how.contains("gzip") ? BufferedBodyTest.gzip(body) : body;
    String coding = how.contains("gzip") ? "Content-Encoding: gzip" : "X-Nothing: 1";
    if (how.contains("chunked")) {
      wire.send(head(coding, "Transfer-Encoding: chunked")).send(chunked(coded, 5000));
    } else {
      wire.send(head(coding, "Content-Length: " + coded.length)).send(coded);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"announced", "chunked", "gzip", "gzip chunked"})
  void comeInSectionsThatTogetherAreAll(String how) throws Exception {
    byte[] body = lines(400_000, 12_000);
    SectionWorker worker = new SectionWorker(2);
    try (HttpServerFixture rig = streaming(worker).start();
        RawHttpConnection wire = rig.connect()) {
      send(wire, how, body);
      assertThat(wire.read().text()).isEqualTo("lines: " + count(body));
      assertThat(worker.body()).isEqualTo(body);
      assertThat(rig.log().requestBytes()).isPositive();

      wire.send(RawHttpConnection.post("/", "short\n"));
      assertThat(wire.read().text()).as("on the same connection").isEqualTo("whole: 6");
    }
  }

  @Test
  void endWithAPartialItem() throws Exception {
    byte[] body = lines(100_001, 300);
    body[body.length - 1] = 'x';
    SectionWorker worker = new SectionWorker(1);
    try (HttpServerFixture rig = streaming(worker).start();
        RawHttpConnection wire = rig.connect()) {
      send(wire, "announced", body);
      assertThat(wire.read().text()).isEqualTo("lines: " + count(body));
      assertThat(worker.body()).isEqualTo(body);
    }
  }

  @Test
  void areGatheredUpToTheBoundAndWhereTheirTypeCannotBeCut() throws Exception {
    SectionWorker worker = new SectionWorker(1);
    try (HttpServerFixture rig = streaming(worker).start();
        RawHttpConnection wire = rig.connect()) {
      send(wire, "announced", lines(OVER, 300));
      assertThat(wire.read().text()).isEqualTo("whole: " + OVER);
      send(wire, "chunked", lines(OVER, 300));
      assertThat(wire.read().text()).isEqualTo("whole: " + OVER);
      wire.send(head("Content-Type: text/whole", "Content-Length: 90000"));
      wire.send(lines(90_000, 300));
      assertThat(wire.read().text()).isEqualTo("whole: 90000");
    }
  }

  @Test
  void areNotReadFasterThanTheirSectionsAreGivenBack() throws Exception {
    byte[] body = lines(8 << 20, 300);
    SectionWorker worker = new SectionWorker(Integer.MAX_VALUE);
    try (HttpServerFixture rig = streaming(worker).start();
        RawHttpConnection wire = rig.connect()) {
      CompletableFuture<Void> sent =
          CompletableFuture.runAsync(() -> wire.sendUntilRefused(request(body), 1));
      rig.awaitStandstill(worker.told);
      assertThat(worker.told.get()).isLessThanOrEqualTo(SECTION + WINDOW);
      assertThat(rig.budget.used()).as("window, and what was gathered").isLessThan(2 * WINDOW);

      worker.holdLess(1);
      assertThat(wire.read().text()).isEqualTo("lines: " + count(body));
      assertThat(worker.body()).isEqualTo(body);
      HttpServerFixture.await(sent);
    }
  }

  private static byte[] shortLines(int bytes) {
    byte[] body = new byte[bytes];
    for (int i = 0; i < bytes; i++) {
      body[i] = (byte) (i % 30 == 29 || i == bytes - 1 ? '\n' : 'a' + i / 30 % 20);
    }
    return body;
  }

  @ParameterizedTest
  @ValueSource(strings = {"announced", "chunked", "gzip chunked"})
  void lieInAnArrayOneAfterTheOther(String how) throws Exception {
    byte[] body = shortLines(400_000);
    SectionWorker worker = new SectionWorker(2);
    try (HttpServerFixture rig = streaming(worker, 20).start();
        RawHttpConnection wire = rig.connect()) {
      send(wire, how, body);
      assertThat(wire.read().text()).isEqualTo("lines: " + count(body));
      assertThat(worker.body()).isEqualTo(body);
      assertThat(worker.arrays()).as("of 667 sections").isLessThan(2 + body.length / SECTION + 2);
    }
  }

  @Test
  void fillTheirWindowHoweverShortTheirSections() throws Exception {
    byte[] body = shortLines(1 << 20);
    SectionWorker worker = new SectionWorker(Integer.MAX_VALUE);
    try (HttpServerFixture rig = streaming(worker, 20).start();
        RawHttpConnection wire = rig.connect()) {
      CompletableFuture<Void> sent =
          CompletableFuture.runAsync(() -> wire.sendUntilRefused(request(body), 1));
      rig.awaitStandstill(worker.told);
      assertThat(worker.told.get()).isBetween(WINDOW * 3L / 4, (long) SECTION + WINDOW);
      worker.holdLess(1);
      assertThat(wire.read().text()).isEqualTo("lines: " + count(body));
      assertThat(worker.body()).isEqualTo(body);
      HttpServerFixture.await(sent);
    }
  }

  private static ScriptedNode.Script once() {
    return conversation -> {
      conversation.read();
      conversation.answer(200, "from the node");
    };
  }

  /** Bodies of stalled clients hold at most half of the body budget. */
  @Test
  void leaveMemoryForOtherBodies() throws Exception {
    BlockingQueue<SectionWorker> begun = new LinkedBlockingQueue<>();
    try (ScriptedNode node = new ScriptedNode(once())) {
      HttpServerFixture.Setup setup =
          streaming(exchange -> {
            SectionWorker worker = new SectionWorker(1);
            worker.handle(exchange);
            begun.add(worker);
          });
      setup.nodes = List.of(node.address());
      setup.budget = 4 * WINDOW;
      try (HttpServerFixture rig = setup.start();
          RawHttpConnection two = rig.connect();
          RawHttpConnection three = rig.connect();
          RawHttpConnection other = rig.connect()) {
        try (RawHttpConnection one = rig.connect()) {
          for (RawHttpConnection slow : List.of(one, two)) {
            slow.send(head("Content-Length: 200000")).send(lines(60_000, 300));
            assertThat(begun.poll(HttpServerFixture.PATIENCE_SECONDS, TimeUnit.SECONDS))
                .isNotNull();
          }
          send(three, "announced", lines(200_000, 300));
          assertThat(three.read().text()).isEqualTo("from the node");
          assertThat(rig.log().reason()).isEqualTo("large-body");
          send(other, "announced", lines(OVER, 300));
          assertThat(other.read().text()).isEqualTo("whole: " + OVER);
        }
        assertThat(List.of(rig.log().status(), rig.log().status()))
            .containsExactlyInAnyOrder(200, 499);
        send(other, "announced", lines(200_000, 300));
        assertThat(other.read().text()).as("in its room").startsWith("lines: ");
      }
    }
  }

  /** Creates lines of {@code bytes} bytes in total, the first one of this length. */
  private static byte[] beginningWith(int line, int bytes) {
    byte[] body = shortLines(bytes);
    Arrays.fill(body, 0, line - 1, (byte) 'x');
    body[line - 1] = '\n';
    return body;
  }

  @ParameterizedTest
  @ValueSource(strings = {"announced", "chunked", "gzip"})
  void mayBeginWithAnItemOfAQuarterOfTheWindow(String how) throws Exception {
    byte[] body = beginningWith(WINDOW / 4, 100_000);
    SectionWorker worker = new SectionWorker(1);
    LineStreaming terms = new LineStreaming(1000, SECTION, WINDOW, 10_000);
    try (HttpServerFixture rig = streaming(worker, terms).start();
        RawHttpConnection wire = rig.connect()) {
      send(wire, how, body);
      assertThat(wire.read().text()).isEqualTo("lines: " + count(body));
      assertThat(worker.body()).isEqualTo(body);
    }
  }

  @Test
  void passThroughWhereTheyBeginWithALongerItem() throws Exception {
    try (ScriptedNode node = new ScriptedNode(once())) {
      HttpServerFixture.Setup setup = streaming(new SectionWorker(1));
      setup.nodes = List.of(node.address());
      try (HttpServerFixture rig = setup.start();
          RawHttpConnection wire = rig.connect()) {
        send(wire, "announced", beginningWith(WINDOW / 4 + 1, 100_000));
        assertThat(wire.read().text()).isEqualTo("from the node");
        assertThat(rig.log().reason()).isEqualTo("large-body");
      }
    }
  }

  private static byte[] request(byte[] body) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(head("Content-Length: " + body.length).getBytes(US_ASCII));
    out.writeBytes(body);
    return out.toByteArray();
  }

  @ParameterizedTest
  @ValueSource(strings = {"announced", "chunked", "gzip", "gzip chunked"})
  void mayStillPassThroughAtFirst(String how) throws Exception {
    byte[] body = lines(600_000, 3000);
    CompletableFuture<ScriptedNode.Request> seen = new CompletableFuture<>();
    try (ScriptedNode node =
        new ScriptedNode(conversation -> {
          seen.complete(conversation.read());
          conversation.answer(200, "from the node");
        })) {
      HttpServerFixture.Setup setup = streaming(new SectionWorker(1));
      setup.nodes = List.of(node.address());
      setup.handler = null;
      try (HttpServerFixture rig = setup.start();
          RawHttpConnection wire = rig.connect()) {
        CompletableFuture<Void> sent =
            CompletableFuture.runAsync(() -> {
              try {
                send(wire, how, body);
              } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
              }
            });
        HttpExchange exchange = rig.take();
        assertThat(exchange.sectionedBody()).isNotNull();
        HttpServerFixture.onHome(exchange, () -> exchange.passThrough("pipeline"));
        assertThat(wire.read().text()).isEqualTo("from the node");
        HttpServerFixture.await(sent);
        ScriptedNode.Request request = HttpServerFixture.await(seen);
        assertThat(request.body())
            .isEqualTo(
                request.header("content-encoding").isEmpty() ? body : BufferedBodyTest.gzip(body));
        assertThat(rig.log().reason()).isEqualTo("pipeline");
      }
    }
  }

  @Test
  void passThroughWithoutMemoryForTheWindow() throws Exception {
    byte[] body = lines(200_000, 300);
    try (ScriptedNode node = new ScriptedNode(once())) {
      HttpServerFixture.Setup setup = streaming(new SectionWorker(1));
      setup.nodes = List.of(node.address());
      try (HttpServerFixture rig = setup.start();
          RawHttpConnection wire = rig.connect()) {
        long taken = (1 << 20) - WINDOW;
        assertThat(rig.budget.tryCharge(taken)).isTrue();
        send(wire, "announced", body);
        assertThat(wire.read().text()).isEqualTo("from the node");
        assertThat(rig.log().reason()).isEqualTo("large-body");
        rig.budget.release(taken);
      }
    }
  }

  @Test
  void areThrownAwayAfterAnAnswer() throws Exception {
    HttpServerFixture.Setup setup = streaming(new SectionWorker(1));
    setup.handler = null;
    try (HttpServerFixture rig = setup.start();
        RawHttpConnection wire = rig.connect()) {
      byte[] body = lines(3 << 20, 300);
      CompletableFuture<Void> sent =
          CompletableFuture.runAsync(() -> wire.sendUntilRefused(request(body), 1));
      HttpExchange exchange = rig.take();
      HttpServerFixture.onHome(
          exchange, () -> exchange.respond(HttpServerFixture.reply(400, "no")));
      assertThat(wire.read().text()).isEqualTo("no");
      HttpServerFixture.await(sent);
      assertThat(rig.log().status()).isEqualTo(400);
      wire.send(RawHttpConnection.post("/", "short\n"));
      HttpExchange next = rig.take();
      assertThat(HttpServerFixture.bodyOf(next)).isEqualTo("short\n");
      HttpServerFixture.onHome(next, () -> next.respond(HttpServerFixture.reply(200, "yes")));
      assertThat(wire.read().text()).isEqualTo("yes");
    }
  }

  @Test
  void endWithTheirClient() throws Exception {
    SectionWorker worker = new SectionWorker(2);
    try (HttpServerFixture rig = streaming(worker).start()) {
      try (RawHttpConnection wire = rig.connect()) {
        wire.send(head("Content-Length: 1000000")).send(lines(500_000, 300));
      }
      assertThat(HttpServerFixture.await(worker.ended)).isEqualTo("gone");
      assertThat(rig.log().status()).isEqualTo(499);
    }
  }

  @Test
  void endWhereTheyTurnOutToBeNoHttp() throws Exception {
    SectionWorker worker = new SectionWorker(2);
    try (HttpServerFixture rig = streaming(worker).start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(head("Transfer-Encoding: chunked")).send(notHttp(200_000));
      assertThat(HttpServerFixture.await(worker.ended)).contains("Invalid character in chunk size");
      RawHttpConnection.Response response = wire.read();
      assertThat(response.status()).isEqualTo(400);
      assertThat(response.text()).as("of who worked on it").isEqualTo(worker.ended.join());
      wire.expectClosed();
    }
  }

  private static byte[] notHttp(int bytes) {
    byte[] chunks = chunked(lines(bytes, 300), 3000);
    return new String(chunks, US_ASCII).replaceAll("0\r\n\r\n$", "zz\r\n").getBytes(US_ASCII);
  }

  /** Sends invalid HTTP while the first section is processed. */
  private static HttpExchange broken(HttpServerFixture rig, RawHttpConnection wire)
      throws Exception {
    wire.send(head("Transfer-Encoding: chunked")).send(notHttp(OVER + 1000));
    return rig.take();
  }

  @Test
  void reportInvalidFramingAfterTheStart() throws Exception {
    HttpServerFixture.Setup setup = streaming(exchange -> {});
    setup.handler = null;
    SectionWorker worker = new SectionWorker(2);
    try (HttpServerFixture rig = setup.start();
        RawHttpConnection wire = rig.connect()) {
      HttpExchange exchange = broken(rig, wire);
      HttpServerFixture.onHome(exchange, () -> worker.handle(exchange));
      assertThat(HttpServerFixture.await(worker.ended)).contains("Invalid character in chunk size");
      assertThat(wire.read().status()).isEqualTo(400);
      wire.expectClosed();
    }
  }

  @Test
  void doNotPassThroughWhereTheyTurnedOutToBeNoHttp() throws Exception {
    HttpServerFixture.Setup setup = streaming(exchange -> {});
    setup.handler = null;
    try (HttpServerFixture rig = setup.start();
        RawHttpConnection wire = rig.connect()) {
      HttpExchange exchange = broken(rig, wire);
      HttpServerFixture.onHome(exchange, () -> exchange.passThrough("pipeline"));
      RawHttpConnection.Response response = wire.read();
      assertThat(response.status()).isEqualTo(400);
      assertThat(response.text()).contains("Invalid character in chunk size");
      wire.expectClosed();
    }
  }

  @Test
  void endWhereTheyTurnOutToBeCorrupt() throws Exception {
    SectionWorker worker = new SectionWorker(2);
    try (HttpServerFixture rig = streaming(worker).start();
        RawHttpConnection wire = rig.connect()) {
      byte[] coded = BufferedBodyTest.gzip(lines(400_000, 300));
      coded[coded.length - 3] ^= 1;
      wire.send(head("Content-Encoding: gzip", "Content-Length: " + coded.length)).send(coded);
      RawHttpConnection.Response response = wire.read();
      assertThat(response.status()).isEqualTo(400);
      assertThat(response.text()).startsWith("got a body that is not what its content-encoding");
      wire.send(RawHttpConnection.post("/", "short\n"));
      assertThat(wire.read().text()).as("on the same connection").isEqualTo("whole: 6");
    }
  }

  @Test
  void mustNotHaveAnItemThatIsLongerThanAQuarterOfTheWindow() throws Exception {
    byte[] body = lines(300_000, 300);
    for (int i = 100_000; i < 100_000 + WINDOW / 4 + 1; i++) {
      body[i] = 'x';
    }
    SectionWorker worker = new SectionWorker(2);
    try (HttpServerFixture rig = streaming(worker).start();
        RawHttpConnection wire = rig.connect()) {
      send(wire, "announced", body);
      RawHttpConnection.Response response = wire.read();
      assertThat(response.status()).isEqualTo(413);
      assertThat(response.text()).startsWith("got an item of more than 16384 bytes");
    }
  }

  @Test
  void mustNotBeLongerThanANodeTakes() throws Exception {
    SectionWorker worker = new SectionWorker(2);
    HttpServerFixture.Setup setup = streaming(worker);
    HttpLimits standard = HttpLimits.standard();
    setup.limits(
        new HttpLimits(
            standard.maxRequestLineBytes(), standard.maxHeaderBytes(), 100_000, 100, 100));
    try (HttpServerFixture rig = setup.start();
        RawHttpConnection wire = rig.connect()) {
      send(wire, "chunked", lines(300_000, 300));
      RawHttpConnection.Response response = wire.read();
      assertThat(response.status()).isEqualTo(413);
      assertThat(response.text()).startsWith("got a body of more than 100000 bytes");
    }
  }
}
