package dev.weir.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.model.BufferedResponse;
import dev.weir.model.CompletedRequest;
import dev.weir.model.HttpExchange;
import dev.weir.model.RequestHandler;
import dev.weir.model.RequestRouter;
import dev.weir.testkit.fixtures.RawHttpConnection;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Responses of another cluster when nodes of the first one are lost. */
class DestinationFailoverTest {
  private final AtomicInteger released = new AtomicInteger();

  private BufferedResponse first(int status) {
    return new BufferedResponse(status, "", List.of(), List.of(), released::incrementAndGet);
  }

  @Test
  void answerFromTheOtherClusterWhenNodesAreLost() throws Exception {
    HttpServerFixture.Setup setup =
        new HttpServerFixture.Setup()
            .handler(exchange -> {
              exchange.markIncomplete();
              exchange.respond(first(503));
            })
            .standby(exchange ->
                exchange.respond(HttpServerFixture.reply(200, HttpServerFixture.bodyOf(exchange))));
    try (HttpServerFixture rig = setup.start();
        RawHttpConnection wire = rig.connect()) {
      assertThat(wire.send(RawHttpConnection.post("/a", "body")).read().text()).isEqualTo("body");
      assertThat(wire.send(RawHttpConnection.post("/a", "again")).read().text()).isEqualTo("again");
      assertThat(released).hasValue(2);
    }
  }

  /** Such as a search with too many buckets: the other cluster would only have to fail again. */
  @Test
  void answerOtherErrorsFromTheFirstCluster() throws Exception {
    HttpServerFixture.Setup setup =
        new HttpServerFixture.Setup()
            .handler(exchange -> exchange.respond(first(503)))
            .standby(exchange -> exchange.respond(HttpServerFixture.reply(200, "standby")));
    try (HttpServerFixture rig = setup.start();
        RawHttpConnection wire = rig.connect()) {
      assertThat(wire.send(RawHttpConnection.post("/a", "body")).read().status()).isEqualTo(503);
    }
    assertThat(released).hasValue(1);
  }

  @Test
  void preferAnIncompleteResponseToNone() throws Exception {
    HttpServerFixture.Setup setup =
        new HttpServerFixture.Setup()
            .handler(exchange -> {
              exchange.markIncomplete();
              exchange.respond(first(200));
            })
            .standby(exchange ->
                exchange.respond(
                    new BufferedResponse(
                        404, "", List.of(), List.of(), released::incrementAndGet)));
    try (HttpServerFixture rig = setup.start();
        RawHttpConnection wire = rig.connect()) {
      assertThat(wire.send(RawHttpConnection.post("/a", "body")).read().status()).isEqualTo(200);
    }
    assertThat(released).hasValue(2);
  }

  @Test
  void releaseEverythingWhenTheClientLeavesDuringFailover() throws Exception {
    CompletableFuture<HttpExchange> second = new CompletableFuture<>();
    CompletableFuture<String> told = new CompletableFuture<>();
    HttpServerFixture.Setup setup =
        new HttpServerFixture.Setup()
            .handler(exchange -> {
              exchange.markIncomplete();
              exchange.respond(first(503));
            })
            .standby(exchange -> {
              exchange.onDisconnect(() -> told.complete("gone"));
              second.complete(exchange);
            });
    try (HttpServerFixture rig = setup.start()) {
      RawHttpConnection wire = rig.connect();
      wire.send(RawHttpConnection.post("/a", "body"));
      HttpExchange working = HttpServerFixture.await(second);
      wire.close();
      assertThat(HttpServerFixture.await(told)).isEqualTo("gone");
      HttpServerFixture.onHome(working, working::drop);
    }
    assertThat(released).hasValue(1);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void coordinateAPassedThroughReadAtTheOtherCluster(boolean late) throws Exception {
    RequestRouter coordinated = (method, uri) -> new RequestRouter.Coordinate("search");
    HttpServerFixture.Setup setup =
        new HttpServerFixture.Setup()
            .passThrough(ScriptedNode.nowhere())
            .handler(exchange -> exchange.passThrough("late"))
            .standby(
                exchange -> exchange.respond(HttpServerFixture.reply(200, "of " + exchange.uri())));
    setup.router = late ? coordinated : setup.router;
    setup.standbyRouter = coordinated;
    try (HttpServerFixture rig = setup.start();
        RawHttpConnection wire = rig.connect()) {
      for (int i = 0; i < 2; i++) {
        assertThat(wire.send(RawHttpConnection.get("/a")).read().text()).isEqualTo("of /a");
        CompletedRequest log = rig.log();
        assertThat(log.status()).isEqualTo(200);
        assertThat(log.path()).isEqualTo("coordinated");
        assertThat(log.cluster()).isEqualTo("standby");
      }
    }
  }

  @Test
  void showEachHandlerThePresentHeadersAndCopyThemOnce() throws Exception {
    List<String> seen = new CopyOnWriteArrayList<>();
    RequestHandler reader =
        exchange -> {
          seen.add(
              exchange.headers().stream()
                  .map(header -> header.getKey() + "=" + header.getValue())
                  .collect(Collectors.joining(",")));
          assertThat(exchange.headers()).isSameAs(exchange.headers());
          assertThatThrownBy(() -> exchange.headers().clear())
              .isInstanceOf(UnsupportedOperationException.class);
        };
    HttpServerFixture.Setup setup =
        new HttpServerFixture.Setup()
            .passThrough(ScriptedNode.nowhere())
            .handler(exchange -> {
              reader.handle(exchange);
              exchange.passThrough("late");
            })
            .standby(exchange -> {
              reader.handle(exchange);
              exchange.respond(HttpServerFixture.reply(200, "standby"));
            });
    setup.router = (method, uri) -> new RequestRouter.Coordinate("search");
    setup.standbyRouter = setup.router;
    try (HttpServerFixture rig = setup.start();
        RawHttpConnection wire = rig.connect()) {
      wire.send("GET /a HTTP/1.1\r\nHost: x\r\nTE: trailers\r\nB: 1\r\nb: 2\r\n\r\n");
      assertThat(wire.read().text()).isEqualTo("standby");
    }
    assertThat(seen)
        .containsExactly(
            "Host=x,TE=trailers,B=1,b=2,content-length=0",
            "Host=x,B=1,b=2,content-length=0,x-forwarded-for=127.0.0.1");
  }

  @Test
  void sendTheBufferedBodyToTheOtherCluster() throws Exception {
    BlockingQueue<ScriptedNode.Request> seen = new LinkedBlockingQueue<>();
    try (ScriptedNode node =
        new ScriptedNode(conversation -> {
          while (true) {
            seen.add(conversation.read());
            conversation.answer(200, "from the node");
          }
        })) {
      HttpServerFixture.Setup setup =
          new HttpServerFixture.Setup()
              .passThrough(ScriptedNode.nowhere())
              .handler(exchange -> exchange.passThrough("late"))
              .elsewhere(node.address());
      setup.router = (method, uri) -> new RequestRouter.Coordinate("search");
      setup.standbyRouter = (method, uri) -> new RequestRouter.PassThrough("other");
      String[] rests = {
        "Content-Length: 4\r\n\r\nbody", "Transfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n"
      };
      try (HttpServerFixture rig = setup.start();
          RawHttpConnection wire = rig.connect()) {
        for (String rest : rests) {
          wire.send("POST /a HTTP/1.1\r\nHost: x\r\n" + rest);
          assertThat(wire.read().text()).as(rest).isEqualTo("from the node");
          assertThat(seen.take().text()).as(rest).isEqualTo("body");
        }
        assertThat(wire.send(RawHttpConnection.get("/a")).read().text()).isEqualTo("from the node");
        assertThat(seen.take().text()).isEmpty();
      }
    }
  }
}
