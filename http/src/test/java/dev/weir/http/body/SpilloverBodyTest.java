package dev.weir.http.body;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.luben.zstd.Zstd;
import dev.weir.http.HttpServerFixture;
import dev.weir.http.ScriptedNode;
import dev.weir.model.CompletedRequest;
import dev.weir.model.RequestRouter;
import dev.weir.testkit.fixtures.RawHttpConnection;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Bodies of unknown length that turn out too long to be buffered. */
class SpilloverBodyTest {
  private static final int BUDGET = 200_000;
  private static final String HEAD = "POST /_bulk HTTP/1.1\r\nHost: x\r\n";

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

  private static HttpServerFixture before(ScriptedNode node) throws IOException {
    HttpServerFixture.Setup setup = HttpServerFixture.echoing();
    setup.nodes = List.of(node.address());
    setup.budget = BUDGET;
    return setup.start();
  }

  private ScriptedNode.Request seen() throws InterruptedException {
    ScriptedNode.Request request = seen.poll(HttpServerFixture.PATIENCE_SECONDS, TimeUnit.SECONDS);
    assertThat(request).as("a request at the node").isNotNull();
    return request;
  }

  /** Compressible text. */
  private static byte[] text(int size) {
    byte[] bytes = new byte[size];
    Random random = new Random(size);
    for (int i = 0; i < size; i++) {
      bytes[i] = (byte) ('a' + (random.nextInt(200) == 0 ? random.nextInt(4) : 0));
    }
    return bytes;
  }

  private static byte[] noise(int size) {
    byte[] bytes = new byte[size];
    new Random(size).nextBytes(bytes);
    return bytes;
  }

  private static byte[] chunked(byte[] body, int most) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Random random = new Random(3);
    for (int from = 0; from < body.length; ) {
      int size = Math.min(body.length - from, 1 + random.nextInt(most));
      out.writeBytes((Integer.toHexString(size) + "\r\n").getBytes(StandardCharsets.US_ASCII));
      out.write(body, from, size);
      out.writeBytes("\r\n".getBytes(StandardCharsets.US_ASCII));
      from += size;
    }
    out.writeBytes("0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    return out.toByteArray();
  }

  private static void sendChunked(RawHttpConnection wire, byte[] body, String... headers)
      throws IOException {
    wire.send(HEAD + lines(headers) + "Transfer-Encoding: chunked\r\n\r\n");
    wire.send(chunked(body, 30_000));
  }

  private static void sendWhole(RawHttpConnection wire, byte[] body, String... headers)
      throws IOException {
    wire.send(HEAD + lines(headers) + "Content-Length: " + body.length + "\r\n\r\n").send(body);
  }

  private static String lines(String... headers) {
    StringBuilder lines = new StringBuilder();
    for (String header : headers) {
      lines.append(header).append("\r\n");
    }
    return lines.toString();
  }

  @Test
  void goToANodeAndLeaveTheConnectionUsable() throws Exception {
    byte[] body = noise(3_000_000);
    try (HttpServerFixture rig = before(node);
        RawHttpConnection wire = rig.connect()) {
      for (int round = 0; round < 3; round++) {
        sendChunked(wire, body, "X-Opaque-Id: me");
        assertThat(wire.read().text()).isEqualTo("from the node");
        ScriptedNode.Request request = seen();
        assertThat(request.body()).isEqualTo(body);
        assertThat(request.header("X-Opaque-Id")).isEqualTo("me");
        assertThat(request.header("content-length")).isEmpty();
        CompletedRequest log = rig.log();
        assertThat(log.path()).isEqualTo("passthrough");
        assertThat(log.reason()).isEqualTo("large-body");
        assertThat(log.requestBytes()).isEqualTo(body.length);
        assertThat(rig.budget.used()).isZero();

        wire.send(HEAD + "Transfer-Encoding: chunked\r\n\r\n").send(chunked(text(1000), 100));
        assertThat(wire.read().text()).startsWith("POST /_bulk aaa");
        assertThat(rig.log().path()).isEqualTo("coordinated");
      }
    }
  }

  @Test
  void areGatheredUpToHalfTheBound() throws Exception {
    try (HttpServerFixture rig = before(node);
        RawHttpConnection wire = rig.connect()) {
      sendChunked(wire, text(BUDGET / 2));
      assertThat(wire.read().text()).startsWith("POST /_bulk ");
      assertThat(rig.log().path()).isEqualTo("coordinated");
      sendChunked(wire, text(BUDGET / 2 + 1));
      assertThat(wire.read().text()).isEqualTo("from the node");
    }
  }

  @Test
  void goAsTheyCameWhereANodeUnderstandsTheirCoding() throws Exception {
    byte[] coded = BufferedBodyTest.gzip(text(400_000));
    try (HttpServerFixture rig = before(node);
        RawHttpConnection wire = rig.connect()) {
      sendWhole(wire, coded, "Content-Encoding: gzip");
      assertThat(wire.read().text()).isEqualTo("from the node");
      ScriptedNode.Request whole = seen();
      assertThat(whole.body()).isEqualTo(coded);
      assertThat(whole.header("content-encoding")).isEqualTo("gzip");
      assertThat(whole.header("content-length")).isEqualTo("" + coded.length);

      sendChunked(wire, coded, "Content-Encoding: X-GZIP");
      assertThat(wire.read().text()).isEqualTo("from the node");
      ScriptedNode.Request chunked = seen();
      assertThat(chunked.body()).isEqualTo(coded);
      assertThat(chunked.header("content-encoding")).isEqualTo("X-GZIP");
      assertThat(chunked.header("content-length")).isEmpty();
    }
  }

  @Test
  void goDecodedWhereTheOriginalWasTooMuchToKeep() throws Exception {
    byte[] body = noise(1_000_000);
    try (HttpServerFixture rig = before(node);
        RawHttpConnection wire = rig.connect()) {
      sendChunked(wire, BufferedBodyTest.gzip(body), "Content-Encoding: gzip");
      assertThat(wire.read().text()).isEqualTo("from the node");
      ScriptedNode.Request request = seen();
      assertThat(request.body()).isEqualTo(body);
      assertThat(request.headers()).doesNotContainKey("content-encoding");
    }
  }

  @Test
  void goDecodedWhereANodeMayNotUnderstand() throws Exception {
    byte[] body = text(3_000_000);
    try (HttpServerFixture rig = before(node);
        RawHttpConnection wire = rig.connect()) {
      sendWhole(wire, Zstd.compress(body), "Content-Encoding: zstd");
      assertThat(wire.read().text()).isEqualTo("from the node");
      ScriptedNode.Request request = seen();
      assertThat(request.body()).isEqualTo(body);
      assertThat(request.headers()).doesNotContainKeys("content-encoding", "content-length");
    }
  }

  @Test
  void forwardUnknownCodingsUnchanged() throws Exception {
    byte[] body = noise(500_000);
    try (HttpServerFixture rig = before(node);
        RawHttpConnection wire = rig.connect()) {
      sendChunked(wire, body, "Content-Encoding: br");
      assertThat(wire.read().text()).isEqualTo("from the node");
      ScriptedNode.Request request = seen();
      assertThat(request.body()).isEqualTo(body);
      assertThat(request.header("content-encoding")).isEqualTo("br");
    }
  }

  @Test
  void areNotReadFasterThanTheNodeReads() throws Exception {
    byte[] body = noise(32 << 20);
    CompletableFuture<Void> goOn = new CompletableFuture<>();
    try (ScriptedNode slow =
            new ScriptedNode(conversation -> {
              ScriptedNode.Request head = conversation.readHead();
              goOn.join();
              byte[] got = conversation.readBody(head);
              conversation.answer(200, "" + Arrays.equals(got, body));
              conversation.awaitClose();
            });
        HttpServerFixture rig = before(slow);
        RawHttpConnection wire = rig.connect()) {
      byte[] bytes = chunked(BufferedBodyTest.gzip(body), 30_000);
      wire.send(HEAD + "Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n");
      AtomicLong sent = new AtomicLong();
      Thread sender =
          Thread.ofVirtual()
              .start(() -> {
                for (int from = 0; from < bytes.length; from += 1 << 16) {
                  int to = Math.min(bytes.length, from + (1 << 16));
                  wire.sendUntilRefused(Arrays.copyOfRange(bytes, from, to), 1);
                  sent.addAndGet(to - from);
                }
              });
      rig.awaitStandstill(sent);
      assertThat(sent.get()).isLessThan(bytes.length / 2);
      assertThat(rig.budget.used()).isLessThanOrEqualTo(BUDGET);
      assertThat(rig.allocator.metric().usedDirectMemory()).isLessThan(4 << 20);
      goOn.complete(null);
      assertThat(wire.read().text()).isEqualTo("true");
      sender.join();
    }
  }

  @Test
  void goToANodeFromAStreamOfHttp2WhileOthersGoOn() throws Exception {
    byte[] body = noise(3_000_000);
    try (HttpServerFixture rig = before(node);
        HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build()) {
      URI uri = URI.create("http://127.0.0.1:" + rig.address.getPort() + "/_bulk");
      HttpRequest small =
          HttpRequest.newBuilder(uri).POST(HttpRequest.BodyPublishers.ofString("small")).build();
      HttpRequest unannounced =
          HttpRequest.newBuilder(uri)
              .POST(HttpRequest.BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(body)))
              .build();
      HttpRequest upgrade = HttpRequest.newBuilder(uri).build();
      assertThat(client.send(upgrade, BodyHandlers.ofString()).version())
          .isEqualTo(HttpClient.Version.HTTP_2);
      for (int round = 0; round < 3; round++) {
        CompletableFuture<HttpResponse<String>> large =
            client.sendAsync(unannounced, BodyHandlers.ofString());
        assertThat(client.send(small, BodyHandlers.ofString()).body()).endsWith(" small");
        HttpResponse<String> answer = HttpServerFixture.await(large);
        assertThat(answer.version()).isEqualTo(HttpClient.Version.HTTP_2);
        assertThat(answer.body()).isEqualTo("from the node");
        ScriptedNode.Request request = seen();
        assertThat(request.body()).isEqualTo(body);
        assertThat(request.header("content-length")).isEmpty();
      }
      assertThat(rig.server.openConnections()).isOne();
      assertThat(rig.budget.used()).isZero();
    }
  }

  @Test
  void areRefusedInANodesWordsByTheNode() throws Exception {
    byte[] body = noise(8 << 20);
    try (ScriptedNode strict =
            new ScriptedNode(conversation -> {
              conversation.readHead();
              conversation.answer(413, "", "connection: close");
            });
        HttpServerFixture rig = before(strict);
        RawHttpConnection wire = rig.connect()) {
      wire.send(HEAD + "Transfer-Encoding: chunked\r\n\r\n");
      wire.sendUntilRefused(chunked(body, 30_000), 1);
      assertThat(wire.read().status()).isIn(413, 502);
    }
  }

  @Test
  void leaveNothingWhenTheClientGoesInTheMiddle() throws Exception {
    byte[] coded = BufferedBodyTest.gzip(noise(1_000_000));
    for (String coding : List.of("gzip", "br")) {
      try (HttpServerFixture rig = before(node);
          RawHttpConnection wire = rig.connect()) {
        wire.send(HEAD + "Content-Encoding: " + coding + "\r\nTransfer-Encoding: chunked\r\n\r\n");
        wire.send(Arrays.copyOf(chunked(coded, 30_000), 600_000));
        wire.reset();
        assertThat(rig.log().status()).isEqualTo(499);
      }
    }
    assertThat(seen).as("requests that were complete").isEmpty();
  }

  @Test
  void endTheConnectionWhenTheyTurnOutToBeCorrupt() throws Exception {
    byte[] coded = BufferedBodyTest.gzip(noise(1_000_000));
    Arrays.fill(coded, 600_000, 700_000, (byte) 0x55);
    try (HttpServerFixture rig = before(node);
        RawHttpConnection wire = rig.connect()) {
      wire.send(HEAD + "Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n");
      wire.sendUntilRefused(chunked(coded, 30_000), 1);
      wire.expectClosed();
      assertThat(rig.log().status()).isEqualTo(400);
    }
    assertThat(seen).as("requests that were complete").isEmpty();
  }

  @Test
  void areAnsweredThatNoNodeIsThere() throws Exception {
    HttpServerFixture.Setup setup = HttpServerFixture.echoing();
    setup.nodes = List.of(ScriptedNode.nowhere());
    setup.budget = BUDGET;
    try (HttpServerFixture rig = setup.start();
        RawHttpConnection wire = rig.connect()) {
      sendChunked(wire, noise(300_000));
      assertThat(wire.read().status()).isEqualTo(503);
      wire.send(HEAD + "Content-Length: 1\r\n\r\nx");
      assertThat(wire.read().text()).isEqualTo("POST /_bulk x");
    }
  }

  @Test
  void rejectLongBodiesOfLocalRequests() throws Exception {
    HttpServerFixture.Setup setup = HttpServerFixture.echoing();
    setup.router = (method, uri) -> new RequestRouter.RespondLocally("test");
    setup.nodes = List.of(node.address());
    setup.budget = BUDGET;
    try (HttpServerFixture rig = setup.start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(HEAD + "Transfer-Encoding: chunked\r\n\r\n");
      wire.sendUntilRefused(chunked(noise(300_000), 30_000), 1);
      assertThat(wire.read().status()).isIn(413, 429);
    }
    assertThat(seen).isEmpty();
  }
}
