package dev.weir.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.http.options.HttpLimits;
import dev.weir.model.BufferedResponse;
import dev.weir.model.HttpExchange;
import dev.weir.model.RequestRouter;
import dev.weir.testkit.fixtures.RawHttpConnection;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Requests that a client sends before it has the responses to earlier ones. */
class PipelinedRequestsTest {
  private static HttpLimits maxRequests(int perConnection) {
    return new HttpLimits(4096, 16384, 1 << 20, perConnection, 100);
  }

  @Test
  void answerThousandsOfRequestsBehindASlowOne() throws Exception {
    int many = 5000;
    StringBuilder requests = new StringBuilder("GET /slow HTTP/1.1\r\n\r\n");
    for (int i = 0; i < many; i++) {
      requests.append("GET /").append(i).append(" HTTP/1.1\r\n\r\n");
    }
    CompletableFuture<HttpExchange> slow = new CompletableFuture<>();
    HttpServerFixture.Setup setup =
        new HttpServerFixture.Setup()
            .handler(exchange -> {
              if (exchange.uri().equals("/slow")) {
                slow.complete(exchange);
              } else {
                exchange.respond(HttpServerFixture.reply(200, exchange.uri()));
              }
            });
    try (HttpServerFixture rig = setup.start();
        RawHttpConnection wire = rig.connect()) {
      Thread sender = Thread.ofVirtual().start(() -> wire.sendQuietly(requests.toString()));
      HttpExchange first = HttpServerFixture.await(slow);
      HttpServerFixture.onHome(
          first, () -> first.respond(HttpServerFixture.reply(200, first.uri())));
      assertThat(wire.read().text()).isEqualTo("/slow");
      for (int i = 0; i < many; i++) {
        assertThat(wire.read().text()).isEqualTo("/" + i);
      }
      sender.join();
    }
  }

  @Test
  void startALargeResponseOnceWhereRequestsAreServedOneByOne() throws Exception {
    int length = 4 << 20;
    HttpServerFixture.Setup setup =
        new HttpServerFixture.Setup()
            .limits(maxRequests(1))
            .handler(exchange ->
                exchange.respond(
                    new BufferedResponse(
                        200, "a/b", List.of(), List.of(ByteBuffer.allocate(length)), () -> {})));
    try (HttpServerFixture rig = setup.start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.get("/1") + RawHttpConnection.get("/2"));
      for (int i = 0; i < 2; i++) {
        assertThat(wire.read().body()).hasSize(length);
      }
      wire.send(RawHttpConnection.get("/3"));
      assertThat(wire.read().body()).hasSize(length);
    }
  }

  @Test
  void serveNoRequestAfterOneThatEndsTheConnection() throws Exception {
    try (HttpServerFixture rig = new HttpServerFixture.Setup().start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(
          RawHttpConnection.get("/last", "Connection: close")
              + RawHttpConnection.post("/late", "body"));
      HttpExchange last = rig.take();
      HttpServerFixture.onHome(last, () -> last.respond(HttpServerFixture.reply(200, last.uri())));
      assertThat(wire.read().text()).isEqualTo("/last");
      wire.expectClosed();
      assertThat(rig.taken).isEmpty();
    }
  }

  @Test
  void serveNoRequestAfterAResponseThatAnnouncesTheEnd() throws Exception {
    int length = 16 << 20; // more than the kernel takes
    HttpServerFixture.Setup setup = new HttpServerFixture.Setup();
    setup.moveAway = loop -> true;
    try (HttpServerFixture rig = setup.start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.get("/large"));
      HttpExchange large = rig.take();
      CompletableFuture<Void> begun = new CompletableFuture<>();
      HttpServerFixture.onHome(
          large,
          () -> {
            large.respond(
                new BufferedResponse(
                    200, "a/b", List.of(), List.of(ByteBuffer.allocate(length)), () -> {}));
            begun.complete(null);
          });
      HttpServerFixture.await(begun);
      wire.send(RawHttpConnection.get("/late"));
      RawHttpConnection.Response response = wire.read();
      assertThat(response.header("connection")).isEqualTo("close");
      assertThat(response.body()).hasSize(length);
      wire.expectClosed();
      assertThat(rig.taken).isEmpty();
    }
  }

  /** The second client does not wait for it and sends its body, and the third did not ask. */
  @Test
  void sendNoContinueToARequestThatDidNotAskForIt() throws Exception {
    try (HttpServerFixture rig = new HttpServerFixture.Setup().start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(
          RawHttpConnection.get("/1")
              + "POST /2 HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nab"
              + "POST /3 HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n");
      for (String uri : List.of("/1", "/2")) {
        HttpExchange next = rig.take();
        assertThat(next.uri()).isEqualTo(uri);
        HttpServerFixture.onHome(next, () -> next.respond(HttpServerFixture.reply(200, uri)));
        assertThat(wire.read().text()).isEqualTo(uri);
      }
      wire.send("cd");
      HttpExchange last = rig.take();
      HttpServerFixture.onHome(last, () -> last.respond(HttpServerFixture.reply(200, "/3")));
      assertThat(wire.read().statusLine()).isEqualTo("HTTP/1.1 200 OK");
    }
  }

  @Test
  void closeAfterEarlierResponsesWhenARequestCannotBegin() throws Exception {
    try (ScriptedNode node = ScriptedNode.answering(200, "node's")) {
      HttpServerFixture.Setup setup =
          new HttpServerFixture.Setup().passThrough(node.address()).limits(maxRequests(1));
      setup.router =
          (method, uri) -> {
            if (uri.equals("/broken")) {
              throw new IllegalStateException("got a request that fails");
            }
            return new RequestRouter.PassThrough("test");
          };
      try (HttpServerFixture rig = setup.start();
          RawHttpConnection wire = rig.connect()) {
        wire.send(RawHttpConnection.get("/1") + RawHttpConnection.get("/broken"));
        assertThat(wire.read().text()).isEqualTo("node's");
        wire.expectClosed();
        assertThat(rig.log().status()).isEqualTo(200);
        assertThat(rig.log().status()).isEqualTo(499);
      }
    }
  }
}
