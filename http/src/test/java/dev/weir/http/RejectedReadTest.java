package dev.weir.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.http.proxy.ProxyOptions;
import dev.weir.model.RequestRouter;
import dev.weir.testkit.fixtures.RawHttpConnection;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A passed-through read that a node rejects with 429 goes to one other node. With nodes of equal
 * load, the first one of the list gets the first request.
 */
class RejectedReadTest {
  /** What the nodes received: the node's name, the request line and the body. */
  private final List<String> attempts = new CopyOnWriteArrayList<>();

  /** Responds to each request with its name. */
  private ScriptedNode responding(String name, int status) throws IOException {
    return new ScriptedNode(conversation -> {
      while (true) {
        record(name, conversation.read());
        conversation.answer(status, name);
      }
    });
  }

  /** Sends these bytes in response to each request. */
  private ScriptedNode sending(String name, String response) throws IOException {
    return new ScriptedNode(conversation -> {
      while (true) {
        record(name, conversation.read());
        conversation.write(response);
      }
    });
  }

  private void record(String name, ScriptedNode.Request request) {
    attempts.add(name + ' ' + request.line() + ' ' + request.text());
  }

  /** Repeats requests to paths that begin with /read. */
  private static HttpServerFixture.Setup to(InetSocketAddress... nodes) {
    HttpServerFixture.Setup setup = new HttpServerFixture.Setup().passThrough(nodes);
    setup.proxyOptions = repeating(ProxyOptions.standard());
    return setup;
  }

  private static ProxyOptions repeating(ProxyOptions options) {
    return options.withRepeatable((method, uri) -> uri.startsWith("/read"));
  }

  /** One connection to each node. */
  private static ProxyOptions oneConnection(Duration connect, Duration stall) {
    return repeating(
        new ProxyOptions(connect, Duration.ofSeconds(60), stall, Duration.ofSeconds(60), 1, 4));
  }

  private static HttpServerFixture.Setup to(ScriptedNode... nodes) {
    return to(Arrays.stream(nodes).map(ScriptedNode::address).toArray(InetSocketAddress[]::new));
  }

  private static void expectRest(HttpServerFixture rig, ScriptedNode... nodes) {
    for (ScriptedNode node : nodes) {
      assertThat(rig.targets.outstanding(node.address())).isZero();
    }
  }

  @Test
  void sendARejectedReadToAnotherNode() throws Exception {
    try (ScriptedNode full = responding("full", 429);
        ScriptedNode free = responding("free", 200);
        HttpServerFixture rig = to(full, free).start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.post("/read?a=b", "{\"size\":1}"));
      RawHttpConnection.Response response = wire.read();

      assertThat(response.status()).isEqualTo(200);
      assertThat(response.text()).isEqualTo("free");
      assertThat(attempts)
          .containsExactly(
              "full POST /read?a=b HTTP/1.1 {\"size\":1}",
              "free POST /read?a=b HTTP/1.1 {\"size\":1}");
      assertThat(rig.log().status()).isEqualTo(200);
      assertThat(rig.proxy.stats().rejectionRetries()).isEqualTo(1);
      assertThat(rig.proxy.stats().retries()).isZero();
      assertThat(rig.proxy.stats().failures()).isZero();
      expectRest(rig, full, free);
    }
  }

  @Test
  void handOnTheSecondRejection() throws Exception {
    try (ScriptedNode first = responding("first", 429);
        ScriptedNode second = responding("second", 429);
        ScriptedNode third = responding("third", 200);
        HttpServerFixture rig = to(first, second, third).start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.get("/read"));
      RawHttpConnection.Response response = wire.read();

      assertThat(response.status()).isEqualTo(429);
      assertThat(response.text()).isEqualTo("second");
      assertThat(attempts).hasSize(2);
      assertThat(rig.log().status()).isEqualTo(429);
      assertThat(rig.proxy.stats().rejectionRetries()).isEqualTo(1);
      expectRest(rig, first, second, third);
    }
  }

  @Test
  void handOnTheRejectionOfTheOnlyNode() throws Exception {
    try (ScriptedNode only =
            sending("only", "HTTP/1.1 429 Text\r\nX-Own: 1\r\ncontent-length: 4\r\n\r\nfull");
        HttpServerFixture rig = to(only).start();
        RawHttpConnection wire = rig.connect()) {
      for (int i = 1; i <= 2; i++) {
        wire.send(RawHttpConnection.get("/read"));
        RawHttpConnection.Response response = wire.read();
        assertThat(response.head()).isEqualTo("HTTP/1.1 429 Text\nX-Own: 1\ncontent-length: 4\n");
        assertThat(response.text()).isEqualTo("full");
        assertThat(attempts).hasSize(i);
      }
      assertThat(rig.proxy.stats().rejectionRetries()).isZero();
      assertThat(only.connections).hasValue(1);
      expectRest(rig, only);
    }
  }

  @Test
  void handOnTheRejectionWhenTheOtherNodeIsEjected() throws Exception {
    try (ScriptedNode full = responding("full", 429);
        HttpServerFixture rig = to(ScriptedNode.nowhere(), full.address()).start();
        RawHttpConnection wire = rig.connect()) {
      for (int i = 1; i <= 2; i++) { // the first request ejects the node that is not there
        wire.send(RawHttpConnection.get("/read"));
        RawHttpConnection.Response response = wire.read();
        assertThat(response.status()).isEqualTo(429);
        assertThat(response.text()).isEqualTo("full");
        assertThat(attempts).hasSize(i);
      }
      assertThat(rig.proxy.stats().rejectionRetries()).isZero();
    }
  }

  @Test
  void respond429WhenTheSecondNodeCannotBeConnectedTo() throws Exception {
    try (ScriptedNode full = responding("full", 429);
        HttpServerFixture rig = to(full.address(), ScriptedNode.nowhere()).start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.get("/read"));
      RawHttpConnection.Response response = wire.read();

      assertThat(response.status()).isEqualTo(429);
      assertThat(response.header("retry-after")).isEqualTo("1");
      assertThat(response.text())
          .contains("rejected_execution_exception")
          .contains("no other node could be reached; retry after 1 s, or raise the node's")
          .contains("indices.breaker.total.limit")
          .doesNotContain("127.0.0.1");
      assertThat(rig.log().status()).isEqualTo(429);
      expectRest(rig, full);
    }
  }

  @Test
  void tryAThirdNodeWhenTheSecondCannotBeConnectedTo() throws Exception {
    try (ScriptedNode full = responding("full", 429);
        ScriptedNode free = responding("free", 200);
        HttpServerFixture rig = to(full.address(), ScriptedNode.nowhere(), free.address()).start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.get("/read"));
      assertThat(wire.read().text()).isEqualTo("free");
      assertThat(attempts).hasSize(2);
      expectRest(rig, full, free);
    }
  }

  @Test
  void repeatNoWrite() throws Exception {
    try (ScriptedNode full = responding("full", 429);
        ScriptedNode free = responding("free", 200);
        HttpServerFixture rig = to(full, free).start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.post("/write", "{}"));
      RawHttpConnection.Response response = wire.read();

      assertThat(response.status()).isEqualTo(429);
      assertThat(response.text()).isEqualTo("full");
      assertThat(attempts).hasSize(1);
      assertThat(rig.proxy.stats().rejectionRetries()).isZero();
    }
  }

  @Test
  void repeatNoRequestWhoseBodyStreams() throws Exception {
    try (ScriptedNode full = responding("full", 429);
        ScriptedNode free = responding("free", 200)) {
      HttpServerFixture.Setup setup = to(full, free);
      setup.router = (method, uri) -> new RequestRouter.PassThrough("test").streamingBody();
      try (HttpServerFixture rig = setup.start();
          RawHttpConnection wire = rig.connect()) {
        wire.send(
            "POST /read HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n");
        wire.send("1\r\nc\r\n0\r\n\r\n");
        RawHttpConnection.Response response = wire.read();

        assertThat(response.status()).isEqualTo(429);
        assertThat(response.text()).isEqualTo("full");
        assertThat(attempts).hasSize(1);
      }
    }
  }

  @Test
  void repeatNoOtherError() throws Exception {
    try (ScriptedNode broken = responding("broken", 503);
        ScriptedNode free = responding("free", 200);
        HttpServerFixture rig = to(broken, free).start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.get("/read"));
      assertThat(wire.read().status()).isEqualTo(503);
      assertThat(attempts).hasSize(1);
    }
  }

  @Test
  void repeatAHeadRequest() throws Exception {
    try (ScriptedNode full = sending("full", "HTTP/1.1 429 Text\r\ncontent-length: 9\r\n\r\n");
        ScriptedNode free = sending("free", "HTTP/1.1 200 Text\r\ncontent-length: 7\r\n\r\n");
        HttpServerFixture rig = to(full, free).start();
        RawHttpConnection wire = rig.connect()) {
      wire.send("HEAD /read HTTP/1.1\r\nHost: x\r\n\r\n");
      RawHttpConnection.Response response = wire.readHead();
      assertThat(response.status()).isEqualTo(200);
      assertThat(response.header("content-length")).isEqualTo("7");
      assertThat(attempts)
          .containsExactly("full HEAD /read HTTP/1.1 ", "free HEAD /read HTTP/1.1 ");
    }
  }

  @Test
  void repeatForAnHttp10Client() throws Exception {
    try (ScriptedNode full = responding("full", 429);
        ScriptedNode free = responding("free", 200);
        HttpServerFixture rig = to(full, free).start();
        RawHttpConnection wire = rig.connect()) {
      wire.send("GET /read HTTP/1.0\r\n\r\n");
      assertThat(wire.read().text()).isEqualTo("free");
      wire.expectClosed();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "content-length: 0\r\n\r\n",
        "content-length: 4\r\n\r\nfull",
        "transfer-encoding: chunked\r\n\r\n2\r\nfu\r\n2\r\nll\r\n0\r\n\r\n",
        "transfer-encoding: chunked\r\n\r\n1\r\nx\r\n0\r\nsome: trailer\r\n\r\n",
        "LONG"
      })
  void reuseTheConnectionOfADiscardedRejection(String rest) throws Exception {
    String body = "x".repeat(200_000); // longer than one read
    String sent =
        rest.equals("LONG") ? "content-length: " + body.length() + "\r\n\r\n" + body : rest;
    List<InetSocketAddress> live = new CopyOnWriteArrayList<>();
    try (ScriptedNode full = sending("full", "HTTP/1.1 429 Text\r\n" + sent);
        ScriptedNode free = responding("free", 200)) {
      live.add(full.address());
      live.add(free.address());
      HttpServerFixture.Setup setup = to(full, free);
      setup.nodes = live;
      // A request waits for the node's only connection, which is free when the rejection is read.
      setup.proxyOptions = oneConnection(Duration.ofSeconds(5), Duration.ofSeconds(60));
      try (HttpServerFixture rig = setup.start();
          RawHttpConnection wire = rig.connect()) {
        wire.send(RawHttpConnection.get("/read/1"));
        assertThat(wire.read().text()).isEqualTo("free");
        live.remove(free.address());
        wire.send(RawHttpConnection.get("/read/2"));
        assertThat(wire.read().status()).isEqualTo(429);
        assertThat(full.connections).hasValue(1);
        assertThat(attempts).hasSize(3);
        expectRest(rig, full, free);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "HTTP/1.1 429 Text\r\nConnection: close\r\ncontent-length: 4\r\n\r\nfull",
        "HTTP/1.0 429 Text\r\n\r\nuntil the end of the connection",
        "HTTP/1.1 429 Text\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
        "LONG"
      })
  void closeTheConnectionThatCannotBeReused(String rejection) throws Exception {
    CompletableFuture<Void> closed = new CompletableFuture<>();
    String sent =
        rejection.equals("LONG")
            ? "HTTP/1.1 429 Text\r\ncontent-length: 100000000\r\n\r\n" + "x".repeat(1 << 20)
            : rejection;
    try (ScriptedNode full =
            new ScriptedNode(conversation -> {
              record("full", conversation.read());
              try {
                conversation.write(sent);
                conversation.awaitClose();
              } finally {
                closed.complete(null); // also by a reset while it writes
              }
            });
        ScriptedNode free = responding("free", 200);
        HttpServerFixture rig = to(full, free).start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.get("/read"));
      assertThat(wire.read().text()).isEqualTo("free");
      HttpServerFixture.await(closed);
      HttpServerFixture.await("one connection is left", () -> rig.proxy.stats().connections() == 1);
      expectRest(rig, full, free);
    }
  }

  @Test
  void closeTheConnectionOfARejectionThatStalls() throws Exception {
    CompletableFuture<Void> closed = new CompletableFuture<>();
    try (ScriptedNode full =
            new ScriptedNode(conversation -> {
              record("full", conversation.read());
              conversation.write("HTTP/1.1 429 Text\r\ncontent-length: 100\r\n\r\nhalf");
              conversation.awaitClose();
              closed.complete(null);
            });
        ScriptedNode free = responding("free", 200)) {
      HttpServerFixture.Setup setup = to(full, free);
      setup.proxyOptions = oneConnection(Duration.ofSeconds(5), Duration.ofMillis(100));
      try (HttpServerFixture rig = setup.start();
          RawHttpConnection wire = rig.connect()) {
        wire.send(RawHttpConnection.get("/read"));
        assertThat(wire.read().text()).isEqualTo("free");
        HttpServerFixture.await(closed);
      }
    }
  }

  @Test
  void respond429WhenTheSecondNodeHasNoFreeConnection() throws Exception {
    CompletableFuture<Void> goOn = new CompletableFuture<>();
    try (ScriptedNode busy =
            new ScriptedNode(conversation -> {
              conversation.read();
              goOn.join();
              conversation.answer(200, "late");
              conversation.awaitClose();
            });
        ScriptedNode full = responding("full", 429)) {
      HttpServerFixture.Setup setup = to(busy, full);
      setup.proxyOptions = oneConnection(Duration.ofMillis(300), Duration.ofSeconds(60));
      try (HttpServerFixture rig = setup.start();
          RawHttpConnection wire = rig.connect()) {
        wire.send(RawHttpConnection.get("/read/1") + RawHttpConnection.get("/read/2"));
        HttpServerFixture.await(
            "the second request fails", () -> rig.proxy.stats().failures() == 1);
        goOn.complete(null);

        assertThat(wire.read().text()).isEqualTo("late");
        RawHttpConnection.Response response = wire.read();
        assertThat(response.status()).isEqualTo(429);
        assertThat(response.text()).contains("no connection to the node was free");
        assertThat(attempts).hasSize(1);
        expectRest(rig, busy, full);
      }
    }
  }

  @Test
  void surviveANodeThatClosesInTheMiddleOfItsRejection() throws Exception {
    try (ScriptedNode full =
            new ScriptedNode(conversation -> {
              record("full", conversation.read());
              conversation.write("HTTP/1.1 429 Text\r\ncontent-length: 100\r\n\r\nhalf");
              conversation.reset();
            });
        ScriptedNode free = responding("free", 200);
        HttpServerFixture rig = to(full, free).start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.get("/read"));
      assertThat(wire.read().text()).isEqualTo("free");
      HttpServerFixture.await("one connection is left", () -> rig.proxy.stats().connections() == 1);
    }
  }

  @Test
  void stopTheSecondNodeWhenTheClientLeavesWhileTheRejectionArrives() throws Exception {
    CompletableFuture<Void> arrived = new CompletableFuture<>();
    CompletableFuture<Void> left = new CompletableFuture<>();
    try (ScriptedNode full =
            new ScriptedNode(conversation -> {
              record("full", conversation.read());
              conversation.write("HTTP/1.1 429 Text\r\ncontent-length: 6\r\n\r\nhal");
              left.join();
              conversation.write("ves");
              conversation.awaitClose();
            });
        ScriptedNode slow =
            new ScriptedNode(conversation -> {
              record("slow", conversation.read());
              arrived.complete(null);
              conversation.awaitClose();
              left.complete(null);
            });
        HttpServerFixture rig = to(full, slow).start()) {
      RawHttpConnection wire = rig.connect();
      wire.send(RawHttpConnection.get("/read"));
      HttpServerFixture.await(arrived);
      wire.close();

      HttpServerFixture.await(left);
      assertThat(rig.log().status()).isEqualTo(499);
      assertThat(attempts).hasSize(2);
      HttpServerFixture.await(
          "only the read connection is left", () -> rig.proxy.stats().connections() == 1);
      expectRest(rig, full, slow);
    }
  }

  @Test
  void loseTheConnectionToTheSecondNodeAsToAnyOther() throws Exception {
    try (ScriptedNode full = responding("full", 429);
        ScriptedNode dying =
            new ScriptedNode(conversation -> {
              record("dying", conversation.read());
              conversation.reset();
            });
        HttpServerFixture rig = to(full, dying).start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.get("/read"));
      assertThat(wire.read().status()).isEqualTo(502);
      assertThat(attempts).hasSize(2);
      expectRest(rig, full, dying);
    }
  }
}
