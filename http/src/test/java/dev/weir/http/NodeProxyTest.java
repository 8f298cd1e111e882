package dev.weir.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.http.body.BufferedBodyTest;
import dev.weir.model.CompletedRequest;
import dev.weir.model.HttpExchange;
import dev.weir.model.RequestRouter;
import dev.weir.testkit.fixtures.RawHttpConnection;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class NodeProxyTest {

  static HttpServerFixture.Setup to(ScriptedNode... nodes) {
    InetSocketAddress[] addresses = new InetSocketAddress[nodes.length];
    for (int i = 0; i < nodes.length; i++) {
      addresses[i] = nodes[i].address();
    }
    return new HttpServerFixture.Setup().passThrough(addresses);
  }

  @Test
  void passThroughABodyTooLargeToBuffer() throws Exception {
    try (ScriptedNode node = ScriptedNode.answering(200, "from the node")) {
      HttpServerFixture.Setup setup = HttpServerFixture.echoing();
      setup.nodes = List.of(node.address());
      setup.budget = 20_000;
      try (HttpServerFixture rig = setup.start();
          RawHttpConnection wire = rig.connect()) {
        wire.send(RawHttpConnection.post("/small", "x".repeat(10_000)));
        assertThat(wire.read().text()).startsWith("POST /small xxx");
        assertThat(rig.log().path()).isEqualTo("coordinated");
        wire.send(RawHttpConnection.post("/large", "x".repeat(10_001)));
        assertThat(wire.read().text()).isEqualTo("from the node");
        assertThat(rig.log().reason()).isEqualTo("large-body");
      }
    }
  }

  @Test
  void passesRequestAndAnswerOnUnchanged() throws Exception {
    CompletableFuture<ScriptedNode.Request> seen = new CompletableFuture<>();
    try (ScriptedNode node =
            new ScriptedNode(conversation -> {
              seen.complete(conversation.read());
              conversation.answer(
                  201, "made", "X-Opaque-Id: me", "Warning: 299 a", "Content-Encoding: odd");
              conversation.awaitClose();
            });
        HttpServerFixture rig = to(node).start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(
          RawHttpConnection.post(
              "/i/_doc?q=%20",
              "{}",
              "X-Opaque-Id: me",
              "Accept-Encoding: gzip",
              "Connection: X-Hop, keep-alive",
              "X-Hop: 1",
              "Keep-Alive: 5",
              "Content-Type: application/json"));

      RawHttpConnection.Response response = wire.read();
      assertThat(response.head())
          .isEqualTo(
              """
              HTTP/1.1 201 Text
              X-Opaque-Id: me
              Warning: 299 a
              Content-Encoding: odd
              content-length: 4
              """);
      assertThat(response.text()).isEqualTo("made");
      ScriptedNode.Request request = HttpServerFixture.await(seen);
      assertThat(request.line()).isEqualTo("POST /i/_doc?q=%20 HTTP/1.1");
      assertThat(request.headers())
          .containsOnlyKeys(
              "Host",
              "X-Opaque-Id",
              "Accept-Encoding",
              "Content-Type",
              "Content-Length",
              "X-Forwarded-For");
      assertThat(request.header("Host")).isEqualTo("test");
      assertThat(request.text()).isEqualTo("{}");
      CompletedRequest log = rig.log();
      assertThat(log.path()).isEqualTo("passthrough");
      assertThat(log.reason()).isEqualTo("test");
      assertThat(log.status()).isEqualTo(201);
      assertThat(log.requestBytes()).isEqualTo(2);
      assertThat(log.responseBytes()).isEqualTo(4);
    }
  }

  @Test
  void usesOneConnectionForManyRequests() throws Exception {
    try (ScriptedNode node = ScriptedNode.answering(200, "ok");
        HttpServerFixture rig = to(node).start();
        RawHttpConnection wire = rig.connect()) {
      for (int i = 0; i < 20; i++) {
        wire.send(RawHttpConnection.post("/", "x".repeat(i)));
        assertThat(wire.read().text()).isEqualTo("ok");
      }
      assertThat(node.connections).hasValue(1);
    }
  }

  @Test
  void streamsChunkedBothWays() throws Exception {
    try (ScriptedNode node =
            new ScriptedNode(conversation -> {
              ScriptedNode.Request head = conversation.readHead();
              conversation.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
              conversation.write("3\r\nabc\r\n");
              String body = new String(conversation.readBody(head), StandardCharsets.UTF_8);
              conversation.write(
                  Integer.toHexString(body.length()) + "\r\n" + body + "\r\n0\r\n\r\n");
              conversation.awaitClose();
            });
        HttpServerFixture rig = to(node).start();
        RawHttpConnection wire = rig.connect()) {
      wire.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nX\r\n");
      wire.send("2\r\nYZ\r\n0\r\n\r\n");

      RawHttpConnection.Response response = wire.read();
      assertThat(response.header("transfer-encoding")).isEqualTo("chunked");
      assertThat(response.text()).isEqualTo("abcXYZ");
    }
  }

  @Test
  void passesLargeBodiesOnWhole() throws Exception {
    byte[] body = new byte[20_000_003];
    new Random(9).nextBytes(body);
    try (ScriptedNode node =
            new ScriptedNode(conversation -> {
              ScriptedNode.Request request = conversation.read();
              conversation.write("HTTP/1.1 200 OK\r\ncontent-length: " + body.length + "\r\n\r\n");
              conversation.write(request.body());
              conversation.awaitClose();
            });
        HttpServerFixture rig = to(node).start();
        RawHttpConnection wire = rig.connect()) {
      wire.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: " + body.length + "\r\n\r\n");
      wire.send(body);

      assertThat(wire.read().body()).isEqualTo(body);
    }
  }

  @Test
  void readsNoFasterFromTheNodeThanTheClientReads() throws Exception {
    int size = 64 << 20;
    AtomicLong written = new AtomicLong();
    CountDownLatch begun = new CountDownLatch(1);
    try (ScriptedNode node =
            new ScriptedNode(conversation -> {
              conversation.read();
              conversation.write("HTTP/1.1 200 OK\r\ncontent-length: " + size + "\r\n\r\n");
              byte[] block = new byte[1 << 16];
              for (int i = 0; i < size / block.length; i++) {
                conversation.write(block);
                written.addAndGet(block.length);
                begun.countDown();
              }
              conversation.awaitClose();
            });
        HttpServerFixture rig = to(node).start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.get("/large"));
      assertThat(begun.await(HttpServerFixture.PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
      rig.awaitStandstill(written);

      // little more than the sockets' buffers hold
      assertThat(written.get()).isLessThan(size / 2);
      assertThat(rig.allocator.metric().usedDirectMemory()).isLessThan(4 << 20);
      assertThat(wire.read().body()).hasSize(size);
    }
  }

  @Test
  void readsNoFasterFromTheClientThanTheNodeReads() throws Exception {
    int size = 64 << 20;
    CompletableFuture<Void> goOn = new CompletableFuture<>();
    try (ScriptedNode node =
            new ScriptedNode(conversation -> {
              ScriptedNode.Request head = conversation.readHead();
              goOn.join();
              conversation.answer(200, "" + conversation.readBody(head).length);
              conversation.awaitClose();
            });
        HttpServerFixture rig = to(node).start();
        RawHttpConnection wire = rig.connect()) {
      wire.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: " + size + "\r\n\r\n");
      AtomicLong sent = new AtomicLong();
      Thread sender =
          Thread.ofVirtual()
              .start(() -> {
                byte[] block = new byte[1 << 16];
                for (int i = 0; i < size / block.length; i++) {
                  wire.sendUntilRefused(block, 1);
                  sent.addAndGet(block.length);
                }
              });
      rig.awaitStandstill(sent);

      assertThat(sent.get()).isLessThan(size / 2);
      assertThat(rig.allocator.metric().usedDirectMemory()).isLessThan(4 << 20);
      goOn.complete(null);
      assertThat(wire.read().text()).isEqualTo("" + size);
      sender.join();
    }
  }

  @Test
  void holdsAnswersUntilTheirTurn() throws Exception {
    CompletableFuture<Void> slow = new CompletableFuture<>();
    try (ScriptedNode node =
            new ScriptedNode(conversation -> {
              while (true) {
                ScriptedNode.Request request = conversation.read();
                if (request.line().contains("/slow")) {
                  slow.join();
                }
                conversation.answer(200, request.line());
                if (request.line().contains("/fast")) {
                  slow.complete(null);
                }
              }
            });
        HttpServerFixture rig = to(node).start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.get("/slow") + RawHttpConnection.get("/fast"));

      assertThat(wire.read().text()).isEqualTo("GET /slow HTTP/1.1");
      assertThat(wire.read().text()).isEqualTo("GET /fast HTTP/1.1");
    }
  }

  @Test
  void passesAnEarlyAnswerOnAndReadsTheRestOfTheRequest() throws Exception {
    try (ScriptedNode node =
            new ScriptedNode(conversation -> {
              conversation.readHead();
              conversation.answer(413, "");
              conversation.awaitClose();
            });
        HttpServerFixture rig = to(node).start();
        RawHttpConnection wire = rig.connect()) {
      wire.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3000000\r\n\r\n");
      wire.send(new byte[1_500_000]); // more than is gathered before the node gets the request
      assertThat(wire.read().status()).isEqualTo(413);
      wire.send(new byte[1_500_000]);
      wire.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nxyz");
      assertThat(wire.read().status()).isEqualTo(413);
      assertThat(node.connections).hasValue(2);
    }
  }

  @Test
  void passesAGatheredRequestOn() throws Exception {
    try (ScriptedNode node =
        new ScriptedNode(conversation -> {
          while (true) {
            ScriptedNode.Request request = conversation.read();
            conversation.answer(
                200,
                request.line()
                    + " "
                    + request.text()
                    + " "
                    + request.header("content-length")
                    + request.header("content-encoding"));
          }
        })) {
      HttpServerFixture.Setup setup = new HttpServerFixture.Setup();
      setup.passThrough(node.address());
      setup.router = (method, uri) -> new RequestRouter.Coordinate("search");
      try (HttpServerFixture rig = setup.start();
          RawHttpConnection wire = rig.connect()) {
        byte[] encoded = BufferedBodyTest.gzip("{\"size\":1}".getBytes(StandardCharsets.UTF_8));
        wire.send(
            "POST /_search HTTP/1.1\r\nHost: x\r\nContent-Encoding: gzip\r\nContent-Length: "
                + encoded.length
                + "\r\n\r\n");
        wire.send(encoded);
        HttpExchange exchange = rig.take();
        HttpServerFixture.onHome(exchange, () -> exchange.passThrough("search-pipeline"));

        assertThat(wire.read().text()).isEqualTo("POST /_search HTTP/1.1 {\"size\":1} 10");
        CompletedRequest log = rig.log();
        assertThat(log.path()).isEqualTo("passthrough");
        assertThat(log.action()).isEqualTo("search");
        assertThat(log.reason()).isEqualTo("search-pipeline");
        assertThat(log.status()).isEqualTo(200);

        wire.send(RawHttpConnection.get("/_count"));
        HttpExchange empty = rig.take();
        HttpServerFixture.onHome(empty, () -> empty.passThrough("why"));
        assertThat(wire.read().text()).isEqualTo("GET /_count HTTP/1.1  0");
      }
    }
  }

  @Test
  void routeAgainWhenTheBodyRequiresANode() throws Exception {
    CompletableFuture<Void> settled = new CompletableFuture<>();
    CompletableFuture<String> asked = new CompletableFuture<>();
    try (ScriptedNode node = ScriptedNode.answering(201, "written")) {
      HttpServerFixture.Setup setup = new HttpServerFixture.Setup().passThrough(node.address());
      setup.router =
          new RequestRouter() {
            @Override
            public Decision route(String method, String uri) {
              return new Coordinate("index");
            }

            @Override
            public PassThrough routeAfterBody(String method, String uri, String reason) {
              return new PassThrough(
                  reason,
                  () -> {
                    asked.complete(method + " " + uri);
                    return settled;
                  });
            }
          };
      try (HttpServerFixture rig = setup.start();
          RawHttpConnection wire = rig.connect()) {
        wire.send(RawHttpConnection.post("/a/_doc?refresh=true", "{}"));
        HttpExchange exchange = rig.take();
        HttpServerFixture.onHome(exchange, () -> exchange.passThrough("ingest-pipeline"));
        assertThat(HttpServerFixture.await(asked)).isEqualTo("POST /a/_doc?refresh=true");
        assertThat(rig.logged).isEmpty();
        settled.complete(null);
        assertThat(wire.read().text()).isEqualTo("written");
        assertThat(rig.log().reason()).isEqualTo("ingest-pipeline");
      }
    }
  }

  @Test
  void sendsNothingCodedToAnOldClient() throws Exception {
    try (ScriptedNode node =
            new ScriptedNode(conversation -> {
              ScriptedNode.Request request = conversation.read();
              conversation.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
              String text = "[" + request.header("accept-encoding") + "]";
              conversation.write(
                  Integer.toHexString(text.length()) + "\r\n" + text + "\r\n0\r\n\r\n");
              conversation.awaitClose();
            });
        HttpServerFixture rig = to(node).start();
        RawHttpConnection wire = rig.connect()) {
      wire.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\nAccept-Encoding: gzip\r\n\r\n");
      RawHttpConnection.Response response = wire.read();
      assertThat(response.statusLine()).isEqualTo("HTTP/1.0 200 OK");
      assertThat(response.text()).isEqualTo("[]");
    }
  }

  @Test
  void passesAHeadOnWithoutABody() throws Exception {
    try (ScriptedNode node =
            new ScriptedNode(conversation -> {
              conversation.read();
              conversation.write("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n");
              conversation.read();
              conversation.answer(200, "got");
              conversation.awaitClose();
            });
        HttpServerFixture rig = to(node).start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.request("HEAD", "/", ""));
      assertThat(wire.readHead().header("content-length")).isEqualTo("1000");
      wire.send(RawHttpConnection.get("/"));
      assertThat(wire.read().text()).isEqualTo("got");
      assertThat(node.connections).hasValue(1);
    }
  }

  @Test
  void letsAClientContinueWithoutAskingTheNode() throws Exception {
    CompletableFuture<ScriptedNode.Request> seen = new CompletableFuture<>();
    try (ScriptedNode node =
            new ScriptedNode(conversation -> {
              seen.complete(conversation.read());
              conversation.write("HTTP/1.1 100 Continue\r\n\r\n");
              conversation.answer(200, "ok");
              conversation.awaitClose();
            });
        HttpServerFixture rig = to(node).start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(
          RawHttpConnection.request("POST", "/", "", "Expect: 100-continue", "Content-Length: 3"));
      assertThat(wire.read().statusLine()).isEqualTo("HTTP/1.1 100 Continue");
      wire.send("abc");
      assertThat(wire.read().text()).isEqualTo("ok");
      ScriptedNode.Request request = HttpServerFixture.await(seen);
      assertThat(request.header("expect")).isEmpty();
      assertThat(request.text()).isEqualTo("abc");
    }
  }

  @Test
  void bufferLittleOfAResponseBehindEarlierOnes() throws Exception {
    int size = 64 << 20;
    CompletableFuture<Void> slow = new CompletableFuture<>();
    AtomicLong written = new AtomicLong();
    try (ScriptedNode node =
            new ScriptedNode(conversation -> {
              if (conversation.read().line().contains("/slow")) {
                slow.join();
                conversation.answer(200, "slow");
              } else {
                conversation.write("HTTP/1.1 200 OK\r\ncontent-length: " + size + "\r\n\r\n");
                byte[] block = new byte[1 << 16];
                for (int i = 0; i < size / block.length; i++) {
                  conversation.write(block);
                  written.addAndGet(block.length);
                }
              }
              conversation.awaitClose();
            });
        HttpServerFixture rig = to(node).start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.get("/slow") + RawHttpConnection.get("/large"));
      rig.awaitStandstill(written);
      assertThat(written.get()).isLessThan(size / 2);
      assertThat(rig.allocator.metric().usedDirectMemory()).isLessThan(4 << 20);
      slow.complete(null);
      assertThat(wire.read().text()).isEqualTo("slow");
      assertThat(wire.read().body()).hasSize(size);
    }
  }

  @Test
  void keepsATransferCodingThatItDoesNotUndo() throws Exception {
    CompletableFuture<ScriptedNode.Request> seen = new CompletableFuture<>();
    try (ScriptedNode node =
            new ScriptedNode(conversation -> {
              seen.complete(conversation.readHead());
              conversation.answer(200, "ok");
            });
        HttpServerFixture rig = to(node).start();
        RawHttpConnection wire = rig.connect()) {
      wire.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n");
      assertThat(wire.read().text()).isEqualTo("ok");
      assertThat(HttpServerFixture.await(seen).header("transfer-encoding"))
          .isEqualTo("gzip, chunked");
    }
  }

  @Test
  void continueReadingAfterADelayedLastChunk() throws Exception {
    int size = 8 << 20;
    CompletableFuture<Void> goOn = new CompletableFuture<>();
    try (ScriptedNode node =
            new ScriptedNode(conversation -> {
              while (true) {
                ScriptedNode.Request head = conversation.readHead();
                goOn.join();
                conversation.answer(200, "" + conversation.readBody(head).length);
              }
            });
        HttpServerFixture rig = to(node).start();
        RawHttpConnection wire = rig.connect()) {
      Thread sender =
          Thread.ofVirtual()
              .start(() -> {
                wire.sendQuietly(RawHttpConnection.post("/1", "x".repeat(size)));
                wire.sendQuietly(RawHttpConnection.post("/2", "x".repeat(size)));
                wire.sendQuietly(RawHttpConnection.get("/3"));
              });
      goOn.complete(null);
      assertThat(wire.read().text()).isEqualTo("" + size);
      assertThat(wire.read().text()).isEqualTo("" + size);
      assertThat(wire.read().text()).isEqualTo("0");
      sender.join();
    }
  }
}
