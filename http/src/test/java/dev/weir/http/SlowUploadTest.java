package dev.weir.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.http.connection.ConnectionCounts.Reason;
import dev.weir.http.options.HttpTimeouts;
import dev.weir.http.proxy.ProxyOptions;
import dev.weir.http.proxy.ProxyStats;
import dev.weir.testkit.fixtures.RawHttpConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
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
    ProxyOptions standard = ProxyOptions.standard();
    setup.proxyOptions =
        new ProxyOptions(
            standard.connectTimeout(),
            standard.responseTimeout(),
            standard.stallTimeout(),
            standard.idleTimeout(),
            1,
            0);
    return setup;
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
    ProxyOptions standard = ProxyOptions.standard();
    HttpServerFixture.Setup setup = new HttpServerFixture.Setup();
    setup.proxyOptions =
        new ProxyOptions(
            standard.connectTimeout(),
            standard.responseTimeout(),
            standard.stallTimeout(),
            standard.idleTimeout(),
            4,
            100,
            0.75);
    try (ScriptedNode node =
            new ScriptedNode(conversation -> {
              if (conversation.read().line().contains("/hold")) {
                held.add(conversation);
                conversation.awaitClose();
              } else {
                conversation.answer(200, "served");
              }
            });
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

  private static ScriptedNode recording(BlockingQueue<String> bodies) throws Exception {
    return new ScriptedNode(conversation -> {
      while (true) {
        bodies.add(conversation.read().text());
        conversation.answer(200, "node");
      }
    });
  }
}
