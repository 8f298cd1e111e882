package dev.weir.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.http.connection.ConnectionCounts.Reason;
import dev.weir.http.options.HttpTimeouts;
import dev.weir.http.proxy.ProxyOptions;
import dev.weir.http.proxy.ProxyStats;
import dev.weir.http.proxy.RepeatableRequests;
import dev.weir.model.RequestRouter;
import dev.weir.testkit.fixtures.RawHttpConnection;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Clients that send slowly hold no connection to a node, and not for ever. */
class SlowUploadTest {
  private final AtomicLong skewNanos = new AtomicLong();

  private HttpServerFixture.Setup patient(HttpServerFixture.Setup setup) {
    setup.nanoClock = () -> System.nanoTime() + skewNanos.get();
    Duration day = Duration.ofDays(1);
    return setup.timeouts(new HttpTimeouts(day, day, day, day));
  }

  private static HttpServerFixture.Setup oneConnection(ScriptedNode node) {
    HttpServerFixture.Setup setup = new HttpServerFixture.Setup().passThrough(node.address());
    setup.proxyOptions = connections(1, 0, 1);
    return setup;
  }

  private static ProxyOptions connections(int max, int maxWaiting, double maxAddressRatio) {
    ProxyOptions standard = ProxyOptions.standard();
    return new ProxyOptions(
        standard.connectTimeout(),
        standard.responseTimeout(),
        standard.stallTimeout(),
        standard.idleTimeout(),
        max,
        maxWaiting,
        maxAddressRatio,
        RepeatableRequests.NONE,
        () -> 1);
  }

  /** Passes requests through whose clients wait for parts of the response. */
  private static HttpServerFixture.Setup streaming(
      HttpServerFixture.Setup setup, ScriptedNode node) {
    setup.passThrough(node.address());
    setup.router = (method, uri) -> new RequestRouter.PassThrough("test").streamingBody();
    return setup;
  }

  /** A node that sends each chunk of a body back before it reads the next one. */
  private static ScriptedNode echoingChunks(CountDownLatch ended) throws Exception {
    return new ScriptedNode(conversation -> {
      try {
        conversation.readHead();
        conversation.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
        byte[] chunk;
        do {
          chunk = conversation.readChunk();
          String text = new String(chunk, StandardCharsets.US_ASCII);
          conversation.write(chunk(text));
        } while (chunk.length > 0);
      } finally {
        ended.countDown();
      }
    });
  }

  private static String chunk(String text) {
    return Integer.toHexString(text.length()) + "\r\n" + text + "\r\n";
  }

  private static void readUntil(RawHttpConnection wire, String awaited) throws Exception {
    StringBuilder got = new StringBuilder();
    byte[] some = new byte[1000];
    while (got.indexOf(awaited) < 0) {
      int length = wire.readSome(some);
      assertThat(length).as("bytes after " + got).isPositive();
      got.append(new String(some, 0, length, StandardCharsets.US_ASCII));
    }
  }

  private static String beginning(int length, String sent) {
    return RawHttpConnection.request("POST", "/_reindex", "", "Content-Length: " + length) + sent;
  }

  @Test
  void takeNoConnectionBeforeABodyIsComplete() throws Exception {
    BlockingQueue<String> bodies = new LinkedBlockingQueue<>();
    try (ScriptedNode node = recording(bodies);
        HttpServerFixture rig = oneConnection(node).start()) {
      List<RawHttpConnection> slow = new ArrayList<>();
      for (int i = 0; i < 4; i++) { // for two event loops with a connection each
        slow.add(rig.connect().send(beginning(4, "ha")));
      }
      HttpServerFixture.await("gathered beginnings", () -> rig.budget.used() >= 4);
      assertThat(rig.proxy.stats()).extracting(ProxyStats::connections).isEqualTo(0L);
      for (int i = 0; i < 2; i++) {
        try (RawHttpConnection wire = rig.connect()) {
          wire.send(RawHttpConnection.get("/_cat/nodes"));
          assertThat(wire.read().text()).isEqualTo("node");
        }
      }
      for (RawHttpConnection wire : slow) {
        wire.send("lf");
        assertThat(wire.read().text()).isEqualTo("node");
        wire.close();
      }
      assertThat(bodies).containsOnly("", "half").hasSize(6);
    }
  }

  @Test
  void sendALargerBodyOnAsItCame() throws Exception {
    BlockingQueue<String> bodies = new LinkedBlockingQueue<>();
    try (ScriptedNode node = recording(bodies);
        HttpServerFixture rig = new HttpServerFixture.Setup().passThrough(node.address()).start();
        RawHttpConnection wire = rig.connect()) {
      for (int length : new int[] {1, 1 << 16, (1 << 16) + 1, 1 << 20, (1 << 20) + 1, 3_000_000}) {
        String body = "0123456789abcdef_".repeat(length / 17 + 1).substring(0, length);
        wire.send(RawHttpConnection.post("/", body));
        assertThat(wire.read().text()).isEqualTo("node");
        assertThat(bodies.poll(HttpServerFixture.PATIENCE_SECONDS, TimeUnit.SECONDS))
            .isEqualTo(body);
        wire.send(
            RawHttpConnection.request("POST", "/", "", "Transfer-Encoding: chunked")
                + Integer.toHexString(length)
                + "\r\n"
                + body
                + "\r\n0\r\n\r\n");
        assertThat(wire.read().text()).isEqualTo("node");
        assertThat(bodies.poll(HttpServerFixture.PATIENCE_SECONDS, TimeUnit.SECONDS))
            .isEqualTo(body);
      }
    }
  }

  @Test
  void streamABodyThatMemoryLacksRoomFor() throws Exception {
    BlockingQueue<String> bodies = new LinkedBlockingQueue<>();
    HttpServerFixture.Setup setup = new HttpServerFixture.Setup();
    setup.budget = 100_000; // of which a quarter may be gathered
    try (ScriptedNode node = recording(bodies);
        HttpServerFixture rig = setup.passThrough(node.address()).start();
        RawHttpConnection wire = rig.connect()) {
      String body = "x".repeat(500_000);
      wire.send(RawHttpConnection.post("/", body));
      assertThat(wire.read().text()).isEqualTo("node");
      assertThat(bodies.take()).isEqualTo(body);
    }
  }

  @Test
  void closeABodyBelowTheMinimumRate() throws Exception {
    try (HttpServerFixture rig = patient(HttpServerFixture.echoing()).start();
        RawHttpConnection slow = rig.connect();
        RawHttpConnection steady = rig.connect()) {
      slow.send(beginning(5_000_000, "x"));
      steady.send(beginning(5_000_000, ""));
      int rest = 5_000_000;
      while (rig.server.counts().count(Reason.SLOW_BODY) == 0 && rest > 40_000) {
        steady.send("x".repeat(40_000));
        rest -= 40_000;
        skewNanos.addAndGet(TimeUnit.SECONDS.toNanos(5));
        Thread.sleep(50); // the server looks once a second
      }
      slow.expectClosed();
      assertThat(rig.server.counts().count(Reason.SLOW_BODY)).isOne();
      steady.send("x".repeat(rest));
      assertThat(steady.read().text()).hasSize("POST /_reindex ".length() + 5_000_000);
    }
  }

  @Test
  void closeABodyThatTakesTooLong() throws Exception {
    try (HttpServerFixture rig = patient(HttpServerFixture.echoing()).start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(beginning(5_000_000, "x"));
      HttpServerFixture.await("the request", () -> rig.budget.used() > 0);
      skewNanos.addAndGet(TimeUnit.HOURS.toNanos(2));
      wire.expectClosed();
      assertThat(rig.server.counts().count(Reason.SLOW_BODY)).isOne();
    }
  }

  @Test
  void leaveConnectionsToOtherClients() throws Exception {
    BlockingQueue<ScriptedNode.Conversation> held = new LinkedBlockingQueue<>();
    HttpServerFixture.Setup setup = new HttpServerFixture.Setup();
    setup.proxyOptions = connections(4, 100, 0.75);
    try (ScriptedNode node = holding(held);
        HttpServerFixture rig = setup.passThrough(node.address()).start()) {
      List<RawHttpConnection> greedy = new ArrayList<>();
      for (int i = 0; i < 12; i++) { // for two event loops with four connections each
        greedy.add(rig.connect().send(RawHttpConnection.get("/hold")));
      }
      HttpServerFixture.await("the client's share", () -> rig.proxy.stats().waiting() == 6);
      assertThat(held).hasSizeLessThanOrEqualTo(6);
      for (int i = 0; i < 2; i++) {
        try (RawHttpConnection other = rig.connectFrom("127.0.0.2")) {
          other.send(RawHttpConnection.get("/other"));
          assertThat(other.read().text()).isEqualTo("served");
        }
      }
      for (RawHttpConnection wire : greedy) {
        wire.close();
      }
    }
  }

  @Test
  void leaveRoomToWaitToOtherClients() throws Exception {
    BlockingQueue<ScriptedNode.Conversation> held = new LinkedBlockingQueue<>();
    HttpServerFixture.Setup setup = new HttpServerFixture.Setup();
    setup.proxyOptions = connections(1, 4, 0.5);
    List<RawHttpConnection> greedy = new ArrayList<>();
    List<RawHttpConnection> others = new ArrayList<>();
    try (ScriptedNode node = holding(held);
        HttpServerFixture rig = setup.passThrough(node.address()).start()) {
      for (int i = 0; i < 6; i++) { // for two event loops: one in flight and two waiting
        greedy.add(rig.connect().send(RawHttpConnection.get("/hold")));
      }
      HttpServerFixture.await("the client's share", () -> rig.proxy.stats().waiting() == 4);
      for (int i = 0; i < 2; i++) {
        try (RawHttpConnection further = rig.connect().send(RawHttpConnection.get("/hold"))) {
          RawHttpConnection.Response refusal = further.read();
          assertThat(refusal.status()).isEqualTo(429);
          assertThat(refusal.text())
              .contains("too many requests of this client wait", "http.max-address-ratio");
        }
        others.add(rig.connectFrom("127.0.0.2").send(RawHttpConnection.get("/other")));
      }
      HttpServerFixture.await("the others", () -> rig.proxy.stats().waiting() == 6);
      for (RawHttpConnection wire : greedy) {
        wire.close();
      }
      for (RawHttpConnection wire : others) {
        assertThat(wire.read().text()).isEqualTo("served");
        wire.close();
      }
    }
  }

  @Test
  void leaveConnectionsToCompleteRequests() throws Exception {
    HttpServerFixture.Setup setup = new HttpServerFixture.Setup();
    setup.proxyOptions = connections(4, 100, 1);
    List<RawHttpConnection> slow = new ArrayList<>();
    try (ScriptedNode node = ScriptedNode.answering(200, "served");
        HttpServerFixture rig = streaming(setup, node).start()) {
      for (int i = 0; i < 12; i++) { // for two event loops with four connections each
        slow.add(rig.connect().send(beginning(100, "x")));
      }
      HttpServerFixture.await("half of the connections", () -> rig.proxy.stats().waiting() == 8);
      assertThat(rig.proxy.stats().connections()).isEqualTo(4);
      for (int i = 0; i < 2; i++) {
        try (RawHttpConnection complete = rig.connect()) {
          complete.send(RawHttpConnection.get("/complete"));
          assertThat(complete.read().text()).isEqualTo("served");
        }
      }
      for (RawHttpConnection wire : slow) {
        wire.send("x".repeat(99));
        assertThat(wire.read().text()).isEqualTo("served");
        wire.close();
      }
    }
  }

  @Test
  void sendABulkStreamOnAsItComes() throws Exception {
    CountDownLatch ended = new CountDownLatch(1);
    try (ScriptedNode node = echoingChunks(ended);
        HttpServerFixture rig = streaming(new HttpServerFixture.Setup(), node).start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(
          RawHttpConnection.request("POST", "/_bulk/stream", "", "Transfer-Encoding: chunked"));
      wire.send(chunk("first"));
      assertThat(wire.readHead().status()).isEqualTo(200);
      readUntil(wire, "first");
      wire.send(chunk("second"));
      readUntil(wire, "second");
      wire.send("0\r\n\r\n");
      readUntil(wire, "0\r\n\r\n");
      assertThat(ended.await(HttpServerFixture.PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void closeABulkStreamBelowTheMinimumRate() throws Exception {
    CountDownLatch ended = new CountDownLatch(1);
    try (ScriptedNode node = echoingChunks(ended);
        HttpServerFixture rig = streaming(patient(new HttpServerFixture.Setup()), node).start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(
          RawHttpConnection.request("POST", "/_bulk/stream", "", "Transfer-Encoding: chunked"));
      wire.send(chunk("first"));
      assertThat(wire.readHead().status()).isEqualTo(200);
      readUntil(wire, "first\r\n");
      skewNanos.addAndGet(TimeUnit.SECONDS.toNanos(31));
      wire.expectClosed();
      assertThat(rig.server.counts().count(Reason.SLOW_BODY)).isOne();
      assertThat(ended.await(HttpServerFixture.PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    }
  }

  /** A node that answers all requests but those to {@code /hold}. */
  private static ScriptedNode holding(BlockingQueue<ScriptedNode.Conversation> held)
      throws Exception {
    return new ScriptedNode(conversation -> {
      if (conversation.read().line().contains("/hold")) {
        held.add(conversation);
        conversation.awaitClose();
      } else {
        conversation.answer(200, "served");
      }
    });
  }

  private static ScriptedNode recording(BlockingQueue<String> bodies) throws Exception {
    return new ScriptedNode(conversation -> {
      while (true) {
        bodies.add(conversation.read().text());
        conversation.answer(200, "node");
      }
    });
  }
}
