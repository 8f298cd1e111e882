package dev.weir.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.http.options.HttpLimits;
import dev.weir.model.BufferedResponse;
import dev.weir.model.CompletedRequest;
import dev.weir.model.HttpExchange;
import dev.weir.model.RequestContext;
import dev.weir.testkit.fixtures.RawHttpConnection;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class HttpServerTest {
  @Test
  void passTenantOfHeaderFilterToHandler() throws Exception {
    HttpServerFixture.Setup setup = new HttpServerFixture.Setup();
    setup.gate = ScriptedHeaderFilter.telling(head -> head.header("X-Tenant"));
    try (HttpServerFixture rig = setup.start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.get("/", "X-tenant: gold") + RawHttpConnection.get("/"));
      for (String tenant : List.of("gold", RequestContext.DEFAULT_TENANT)) {
        HttpExchange exchange = rig.take();
        assertThat(exchange.tenant()).isEqualTo(tenant);
        HttpServerFixture.onHome(
            exchange, () -> exchange.respond(HttpServerFixture.reply(200, "ok")));
      }
      assertThat(wire.read().status()).isEqualTo(200);
      assertThat(wire.read().status()).isEqualTo(200);
    }
  }

  @Test
  void writeHeadersInNodeOrder() throws Exception {
    try (HttpServerFixture rig = HttpServerFixture.echoing().start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.get("/a", "X-Opaque-Id: me", "X-Request-Id: 0123456789abcdef"));

      RawHttpConnection.Response response = wire.read();

      assertThat(response.head())
          .isEqualTo(
              """
              HTTP/1.1 200 OK
              X-Opaque-Id: me
              X-Request-Id: 0123456789abcdef
              X-OpenSearch-Version: OpenSearch/3.8.0 (opensearch)
              content-type: text/plain; charset=UTF-8
              content-length: 7
              """);
      assertThat(response.text()).isEqualTo("GET /a ");
    }
  }

  @Test
  void keepConnectionOpenBetweenRequests() throws Exception {
    try (HttpServerFixture rig = HttpServerFixture.echoing().start();
        RawHttpConnection wire = rig.connect()) {
      for (int i = 0; i < 5; i++) {
        wire.send(RawHttpConnection.post("/" + i, "body" + i));
        assertThat(wire.read().text()).isEqualTo("POST /" + i + " body" + i);
      }
      assertThat(rig.server.openConnections()).isOne();
    }
  }

  @Test
  void askTheClientOfABadlyPlacedConnectionForAnotherOne() throws Exception {
    AtomicInteger moves = new AtomicInteger(1);
    HttpServerFixture.Setup setup = HttpServerFixture.echoing();
    setup.moveAway = loop -> moves.getAndDecrement() > 0;
    try (HttpServerFixture rig = setup.start();
        RawHttpConnection first = rig.connect();
        RawHttpConnection second = rig.connect()) {
      first.send(RawHttpConnection.get("/a"));
      assertThat(first.read().header("connection")).isEqualTo("close");
      first.expectClosed();
      for (int i = 0; i < 2; i++) {
        second.send(RawHttpConnection.get("/b"));
        assertThat(second.read().header("connection")).isEmpty();
      }
    }
  }

  @Test
  void keepABadlyPlacedConnectionWhileFurtherRequestsWait() throws Exception {
    HttpServerFixture.Setup setup = new HttpServerFixture.Setup();
    setup.moveAway = loop -> true;
    try (HttpServerFixture rig = setup.start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.get("/1") + RawHttpConnection.get("/2"));
      for (HttpExchange exchange : List.of(rig.take(), rig.take())) {
        HttpServerFixture.onHome(
            exchange, () -> exchange.respond(HttpServerFixture.reply(200, exchange.uri())));
      }
      assertThat(wire.read().text()).isEqualTo("/1");
      assertThat(wire.read().text()).isEqualTo("/2");
      wire.expectClosed();
    }
  }

  @Test
  void answerPipelinedRequestsInOrder() throws Exception {
    try (HttpServerFixture rig = new HttpServerFixture.Setup().start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(
          RawHttpConnection.get("/1")
              + RawHttpConnection.post("/2", "two")
              + RawHttpConnection.get("/3"));
      List<HttpExchange> exchanges = List.of(rig.take(), rig.take(), rig.take());
      for (int i = 2; i >= 0; i--) {
        HttpExchange exchange = exchanges.get(i);
        HttpServerFixture.onHome(
            exchange, () -> exchange.respond(HttpServerFixture.reply(200, exchange.uri())));
      }

      assertThat(wire.read().text()).isEqualTo("/1");
      assertThat(wire.read().text()).isEqualTo("/2");
      assertThat(wire.read().text()).isEqualTo("/3");
    }
  }

  @Test
  void boundPipelinedRequests() throws Exception {
    HttpLimits standard = HttpLimits.standard();
    HttpLimits limits =
        new HttpLimits(
            standard.maxRequestLineBytes(),
            standard.maxHeaderBytes(),
            standard.maxContentBytes(),
            3,
            standard.maxConnections());
    try (HttpServerFixture rig = new HttpServerFixture.Setup().limits(limits).start();
        RawHttpConnection wire = rig.connect()) {
      StringBuilder requests = new StringBuilder();
      for (int i = 0; i < 50; i++) {
        requests.append(RawHttpConnection.post("/" + i, "b"));
      }
      wire.send(requests.toString());
      int answered = 0;
      List<HttpExchange> open = new ArrayList<>();
      while (answered < 50) {
        while (open.size() < Math.min(3, 50 - answered)) {
          open.add(rig.take());
        }
        CompletableFuture<Integer> waiting = new CompletableFuture<>();
        HttpServerFixture.onHome(open.getFirst(), () -> waiting.complete(rig.taken.size()));
        assertThat(HttpServerFixture.await(waiting)).as("requests beyond the limit").isZero();
        HttpExchange first = open.removeFirst();
        HttpServerFixture.onHome(
            first, () -> first.respond(HttpServerFixture.reply(200, first.uri())));
        assertThat(wire.read().text()).isEqualTo("/" + answered++);
      }
    }
  }

  @Test
  void closeAfterResponseOnRequest() throws Exception {
    try (HttpServerFixture rig = HttpServerFixture.echoing().start();
        RawHttpConnection close = rig.connect();
        RawHttpConnection old = rig.connect();
        RawHttpConnection oldKept = rig.connect()) {
      close.send(RawHttpConnection.get("/", "Connection: Close"));
      assertThat(close.read().head()).doesNotContainIgnoringCase("connection");
      close.expectClosed();

      old.send("GET / HTTP/1.0\r\n\r\n");
      assertThat(old.read().statusLine()).isEqualTo("HTTP/1.0 200 OK");
      old.expectClosed();

      for (int i = 0; i < 2; i++) {
        oldKept.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
        assertThat(oldKept.read().statusLine()).isEqualTo("HTTP/1.0 200 OK");
      }
    }
  }

  @Test
  void sendLengthWithoutBodyForHead() throws Exception {
    try (HttpServerFixture rig = HttpServerFixture.echoing().start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(
          RawHttpConnection.request("HEAD", "/x", "", "Accept-Encoding: gzip")
              + RawHttpConnection.get("/y"));

      RawHttpConnection.Response head = wire.readHead();
      assertThat(head.header("content-length")).isEqualTo("8");
      assertThat(head.header("content-encoding")).isEmpty();
      assertThat(wire.read().text()).isEqualTo("GET /y ");
    }
  }

  @Test
  void aggregateChunkedBody() throws Exception {
    try (HttpServerFixture rig = HttpServerFixture.echoing().start();
        RawHttpConnection wire = rig.connect()) {
      wire.send("POST /c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
      wire.send("2\r\nde\r\n0\r\nTrailer: x\r\n\r\n");

      assertThat(wire.read().text()).isEqualTo("POST /c abcde");
      assertThat(rig.log().requestBytes()).isEqualTo(5);
    }
  }

  @Test
  void aggregateLargeBody() throws Exception {
    byte[] body = new byte[9_000_001];
    new Random(7).nextBytes(body);
    CompletableFuture<byte[]> got = new CompletableFuture<>();
    try (HttpServerFixture rig =
            new HttpServerFixture.Setup()
                .handler(exchange -> {
                  byte[] copy = new byte[exchange.body().remaining()];
                  exchange.body().get(copy);
                  got.complete(copy);
                  exchange.respond(HttpServerFixture.reply(200, "ok"));
                })
                .start();
        RawHttpConnection wire = rig.connect()) {
      wire.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: " + body.length + "\r\n\r\n");
      wire.send(body);

      assertThat(wire.read().text()).isEqualTo("ok");
      assertThat(HttpServerFixture.await(got)).isEqualTo(body);
      assertThat(rig.log().requestBytes()).isEqualTo(body.length);
    }
  }

  @Test
  void sendContinueToExpectingClient() throws Exception {
    try (HttpServerFixture rig = HttpServerFixture.echoing().start();
        RawHttpConnection wire = rig.connect()) {
      wire.send("POST /e HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
      assertThat(wire.read().statusLine()).isEqualTo("HTTP/1.1 100 Continue");
      wire.send("hi");
      assertThat(wire.read().text()).isEqualTo("POST /e hi");
    }
  }

  @Test
  void addRequestIdToOwnRejectionsOnly() throws Exception {
    AtomicInteger numbers = new AtomicInteger(6);
    HttpServerFixture.Setup setup =
        new HttpServerFixture.Setup()
            .handler(exchange -> {
              exchange.assignTaskId(numbers.incrementAndGet());
              exchange.respond(HttpServerFixture.reply(429, "too many"));
            });
    setup.refusals = number -> number == 7;
    try (HttpServerFixture rig = setup.start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.get("/refused"));
      assertThat(wire.read().head()).contains("X-Weir-Request-Id: 7");
      wire.send(RawHttpConnection.get("/refused-by-a-node"));
      assertThat(wire.read().head()).doesNotContain("X-Weir-Request-Id");
    }
  }

  @Test
  void respondOnlyOnce() throws Exception {
    AtomicInteger released = new AtomicInteger();
    try (HttpServerFixture rig =
            new HttpServerFixture.Setup()
                .handler(exchange -> {
                  for (int i = 0; i < 3; i++) {
                    exchange.respond(
                        new BufferedResponse(
                            200,
                            "text/plain",
                            List.of(),
                            List.of(ByteBuffer.wrap(new byte[] {'a'})),
                            released::incrementAndGet));
                  }
                })
                .start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.get("/"));
      assertThat(wire.read().text()).isEqualTo("a");
      wire.send(RawHttpConnection.get("/"));
      assertThat(wire.read().text()).isEqualTo("a");
      rig.log();
      rig.log();
      assertThat(released).hasValue(6);
    }
  }

  @Test
  void respondWith500WhenHandlerThrows() throws Exception {
    try (HttpServerFixture rig =
            new HttpServerFixture.Setup()
                .handler(exchange -> {
                  throw new IllegalStateException("bug");
                })
                .start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.post("/", "x"));
      RawHttpConnection.Response response = wire.read();
      assertThat(response.status()).isEqualTo(500);
      assertThat(response.text()).contains("\"status\":500");
    }
  }

  @Test
  void sendNoFasterThanClientReads() throws Exception {
    byte[] block = new byte[1 << 20];
    List<ByteBuffer> slices = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      slices.add(ByteBuffer.wrap(block));
    }
    CompletableFuture<Void> released = new CompletableFuture<>();
    try (HttpServerFixture rig = new HttpServerFixture.Setup().start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.get("/large"));
      HttpExchange exchange = rig.take();
      CompletableFuture<Long> held = new CompletableFuture<>();
      HttpServerFixture.onHome(
          exchange,
          () -> {
            exchange.respond(
                new BufferedResponse(
                    200, "text/plain", List.of(), slices, () -> released.complete(null)));
            held.complete(rig.allocator.metric().usedDirectMemory());
          });

      assertThat(HttpServerFixture.await(held)).isLessThan(2 << 20);
      assertThat(released).isNotDone();
      assertThat(wire.read().body()).hasSize(64 << 20);
      HttpServerFixture.await(released);
    }
  }

  @Test
  void logEachRequestOnce() throws Exception {
    try (HttpServerFixture rig = HttpServerFixture.echoing().start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.post("/a?b=c", "xyz", "X-Opaque-Id: mine"));
      wire.read();

      CompletedRequest log = rig.log();
      assertThat(log.method()).isEqualTo("POST");
      assertThat(log.uri()).isEqualTo("/a?b=c");
      assertThat(log.protocol()).isEqualTo("HTTP/1.1");
      assertThat(log.path()).isEqualTo("coordinated");
      assertThat(log.action()).isEqualTo("test");
      assertThat(log.status()).isEqualTo(200);
      assertThat(log.requestBytes()).isEqualTo(3);
      assertThat(log.responseBytes()).isEqualTo("POST /a?b=c xyz".length());
      assertThat(log.opaqueId()).isEqualTo("mine");
      assertThat(log.remoteAddress()).startsWith("127.0.0.1:");
      assertThat(log.durationNanos()).isPositive();
    }
  }
}
