package dev.weir.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.http.proxy.ProxyOptions;
import dev.weir.model.CompletedRequest;
import dev.weir.testkit.fixtures.RawHttpConnection;
import java.io.EOFException;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nodes that are unreachable, disconnect, stall or are overloaded. */
class NodeProxyFailureTest {

  private static ProxyOptions options(
      Duration answer, Duration stall, int connections, int waiting) {
    return new ProxyOptions(
        Duration.ofSeconds(5), answer, stall, Duration.ofSeconds(60), connections, waiting);
  }

  /** A node that could not decode a request ignores all that follows on its connection. */
  @ParameterizedTest
  @ValueSource(ints = {400, 413, 414, 431})
  void usesNoConnectionAgainOnWhichARequestWasRejected(int status) throws Exception {
    try (ScriptedNode node =
            new ScriptedNode(conversation -> {
              conversation.read();
              conversation.answer(status, "rejected");
              conversation.read(); // what comes here gets no answer
            });
        HttpServerFixture rig = NodeProxyTest.to(node).start();
        RawHttpConnection wire = rig.connect()) {
      for (int i = 0; i < 2; i++) {
        wire.send(RawHttpConnection.get("/"));
        assertThat(wire.read().status()).isEqualTo(status);
      }
      assertThat(node.connections).hasValue(2);
    }
  }

  @Test
  void goesToTheNextNodeWhenOneCantBeReached() throws Exception {
    try (ScriptedNode node = ScriptedNode.answering(200, "second");
        HttpServerFixture rig =
            new HttpServerFixture.Setup()
                .passThrough(ScriptedNode.nowhere(), node.address())
                .start();
        RawHttpConnection wire = rig.connect()) {
      for (int i = 0; i < 4; i++) {
        wire.send(RawHttpConnection.post("/", "body"));
        assertThat(wire.read().text()).isEqualTo("second");
      }
      assertThat(rig.targets.outstanding(node.address())).isZero();
    }
  }

  @Test
  void saysWhyNoNodeAnswers() throws Exception {
    try (HttpServerFixture none = new HttpServerFixture.Setup().passThrough().start();
        HttpServerFixture dead =
            new HttpServerFixture.Setup().passThrough(ScriptedNode.nowhere()).start();
        RawHttpConnection toNone = none.connect();
        RawHttpConnection toDead = dead.connect()) {
      toNone.send(RawHttpConnection.get("/"));
      RawHttpConnection.Response response = toNone.read();
      assertThat(response.status()).isEqualTo(503);
      assertThat(response.text())
          .contains("no_node_available_exception")
          .contains("no node of the cluster is known");

      toDead.send(RawHttpConnection.post("/", "body"));
      response = toDead.read();
      assertThat(response.status()).isEqualTo(503);
      assertThat(response.text())
          .contains("could not connect to any node")
          .doesNotContain("127.0.0.1");
      assertThat(dead.log().status()).isEqualTo(503);
      toDead.send(RawHttpConnection.get("/again"));
      assertThat(toDead.read().status()).isEqualTo(503);
    }
  }

  @Test
  void retryAGetOnABrokenPooledConnection() throws Exception {
    try (ScriptedNode node = dyingOnSecondRequest();
        HttpServerFixture rig = NodeProxyTest.to(node).start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.get("/1"));
      assertThat(wire.read().text()).isEqualTo("0");
      wire.send(RawHttpConnection.get("/2"));
      assertThat(wire.read().text()).isEqualTo("1");
    }
  }

  @Test
  void doesNotRepeatAPostThatMayHaveArrived() throws Exception {
    try (ScriptedNode node = dyingOnSecondRequest();
        HttpServerFixture rig = NodeProxyTest.to(node).start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.post("/1", "a"));
      assertThat(wire.read().text()).isEqualTo("0");
      wire.send(RawHttpConnection.post("/2", "b"));
      RawHttpConnection.Response response = wire.read();
      assertThat(response.status()).isEqualTo(502);
      assertThat(response.text())
          .contains("closed the connection before its response was complete");
      assertThat(node.connections).hasValue(1);
      wire.send(RawHttpConnection.post("/3", "c"));
      assertThat(wire.read().text()).isEqualTo("1");
    }
  }

  @Test
  void doesNotRepeatAGetThatBreaksANewConnection() throws Exception {
    AtomicInteger requests = new AtomicInteger();
    try (ScriptedNode node =
            new ScriptedNode(conversation -> {
              conversation.read();
              requests.incrementAndGet();
            });
        HttpServerFixture rig = NodeProxyTest.to(node).start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.get("/"));
      assertThat(wire.read().status()).isEqualTo(502);
      assertThat(requests).hasValue(1);
    }
  }

  @Test
  void doesNotPassABrokenAnswerForAWholeOne() throws Exception {
    try (ScriptedNode node =
            new ScriptedNode(conversation -> {
              conversation.read();
              conversation.write("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf");
            });
        HttpServerFixture rig = NodeProxyTest.to(node).start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.get("/"));
      assertThatThrownBy(wire::read).isInstanceOf(EOFException.class);
      assertThat(rig.log().status()).isEqualTo(499);
    }
  }

  @Test
  void answersGatewayTimeoutWhenTheNodeDoesNotAnswer() throws Exception {
    HttpServerFixture.Setup setup = new HttpServerFixture.Setup();
    try (ScriptedNode node = new ScriptedNode(ScriptedNode.Conversation::awaitClose)) {
      setup.passThrough(node.address());
      setup.proxyOptions = options(Duration.ofMillis(100), Duration.ofSeconds(60), 4, 4);
      try (HttpServerFixture rig = setup.start();
          RawHttpConnection wire = rig.connect()) {
        wire.send(RawHttpConnection.get("/"));
        RawHttpConnection.Response response = wire.read();
        assertThat(response.status()).isEqualTo(504);
        assertThat(response.text()).contains("did not answer within 100ms");
        assertThat(rig.targets.outstanding(node.address())).isZero();
      }
    }
  }

  @Test
  void closesWhenTheNodeStallsInTheMiddle() throws Exception {
    HttpServerFixture.Setup setup = new HttpServerFixture.Setup();
    try (ScriptedNode node =
        new ScriptedNode(conversation -> {
          conversation.read();
          conversation.write("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf");
          conversation.awaitClose();
        })) {
      setup.passThrough(node.address());
      setup.proxyOptions = options(Duration.ofSeconds(60), Duration.ofMillis(100), 4, 4);
      try (HttpServerFixture rig = setup.start();
          RawHttpConnection wire = rig.connect()) {
        wire.send(RawHttpConnection.get("/"));
        assertThatThrownBy(wire::read).isInstanceOf(EOFException.class);
      }
    }
  }

  private static ScriptedNode answeringAfter(CompletableFuture<Void> goOn) throws Exception {
    return new ScriptedNode(conversation -> {
      while (true) {
        conversation.read();
        goOn.join();
        conversation.answer(200, "ok");
      }
    });
  }

  @Test
  void boundsConnectionsAndWaitingRequests() throws Exception {
    CompletableFuture<Void> goOn = new CompletableFuture<>();
    HttpServerFixture.Setup setup = new HttpServerFixture.Setup();
    try (ScriptedNode node = answeringAfter(goOn)) {
      setup.passThrough(node.address());
      setup.proxyOptions = options(Duration.ofSeconds(60), Duration.ofSeconds(60), 1, 2);
      try (HttpServerFixture rig = setup.start();
          RawHttpConnection wire = rig.connect()) {
        wire.send(
            RawHttpConnection.get("/1")
                + RawHttpConnection.get("/2")
                + RawHttpConnection.get("/3")
                + RawHttpConnection.get("/4"));
        goOn.complete(null);

        assertThat(wire.read().text()).isEqualTo("ok");
        assertThat(wire.read().text()).isEqualTo("ok");
        assertThat(wire.read().text()).isEqualTo("ok");
        RawHttpConnection.Response refused = wire.read();
        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.header("retry-after")).isEqualTo("1");
        assertThat(refused.text()).contains("1 connections in use and 2 requests waiting");
        assertThat(node.connections).hasValue(1);
      }
    }
  }

  @Test
  void rejectsARequestThatFindsNoFreeConnectionInTime() throws Exception {
    CompletableFuture<Void> goOn = new CompletableFuture<>();
    HttpServerFixture.Setup setup = new HttpServerFixture.Setup();
    Duration day = Duration.ofDays(1);
    Duration connecting = Duration.ofMillis(50); // waiting may take twice as long
    setup.proxyOptions = new ProxyOptions(connecting, day, day, day, 1, 100);
    try (ScriptedNode node = answeringAfter(goOn);
        HttpServerFixture rig = setup.passThrough(node.address()).start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.get("/1") + RawHttpConnection.get("/2"));
      HttpServerFixture.await("a request that waits", () -> rig.proxy.stats().waiting() == 1);
      HttpServerFixture.await("its end", () -> rig.proxy.stats().waiting() == 0);
      goOn.complete(null);

      assertThat(wire.read().text()).isEqualTo("ok");
      RawHttpConnection.Response rejection = wire.read();
      assertThat(rejection.status()).isEqualTo(429);
      assertThat(rejection.header("retry-after")).isEqualTo("1");
      assertThat(rejection.text())
          .contains("no connection to the node was free within 100ms", "max-connections-per-loop");
    }
  }

  @Test
  void stopsTheNodeWhenTheClientGoesAway() throws Exception {
    CompletableFuture<Void> closed = new CompletableFuture<>();
    CompletableFuture<Void> arrived = new CompletableFuture<>();
    try (ScriptedNode node =
            new ScriptedNode(conversation -> {
              conversation.read();
              arrived.complete(null);
              conversation.awaitClose();
              closed.complete(null);
            });
        HttpServerFixture rig = NodeProxyTest.to(node).start()) {
      RawHttpConnection wire = rig.connect();
      wire.send(RawHttpConnection.get("/"));
      HttpServerFixture.await(arrived);
      wire.close();

      HttpServerFixture.await(closed);
      CompletedRequest log = rig.log();
      assertThat(log.status()).isEqualTo(499);
      assertThat(log.path()).isEqualTo("passthrough");
    }
  }

  @Test
  void refusesAMalformedBodyInTheMiddle() throws Exception {
    CompletableFuture<Void> closed = new CompletableFuture<>();
    try (ScriptedNode node =
            new ScriptedNode(conversation -> {
              conversation.readHead();
              conversation.awaitClose();
              closed.complete(null);
            });
        HttpServerFixture rig = NodeProxyTest.to(node).start();
        RawHttpConnection wire = rig.connect()) {
      // More than is gathered before the node gets the request.
      wire.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n200000\r\n");
      wire.send("X".repeat(0x200000) + "\r\nzz\r\n");
      RawHttpConnection.Response response = wire.read();
      assertThat(response.status()).isEqualTo(400);
      assertThat(response.text()).contains("number_format_exception");
      wire.expectClosed();
      HttpServerFixture.await(closed);
    }
  }

  /** Each connection answers one request with its number and closes when the next one arrives. */
  private static ScriptedNode dyingOnSecondRequest() throws IOException {
    return new ScriptedNode(conversation -> {
      conversation.read();
      conversation.answer(200, "" + conversation.index);
      conversation.read();
      conversation.reset();
    });
  }
}
