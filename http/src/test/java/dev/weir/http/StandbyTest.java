package dev.weir.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.HttpExchange;
import dev.weir.model.HttpReply;
import dev.weir.model.RequestLog;
import dev.weir.model.RequestRouter;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What another place answers where nodes of the first one are gone. */
class StandbyTest {
  private final AtomicInteger released = new AtomicInteger();

  private HttpReply first(int status) {
    return new HttpReply(status, "", List.of(), List.of(), released::incrementAndGet);
  }

  @Test
  void anotherPlaceAnswersWhereNodesAreGone() throws Exception {
    Rig.Setup setup =
        new Rig.Setup()
            .handler(exchange -> exchange.respond(first(503)))
            .standby(exchange -> exchange.respond(Rig.reply(200, Rig.bodyOf(exchange))));
    try (Rig rig = setup.start();
        Wire wire = rig.connect()) {
      assertThat(wire.send(Wire.post("/a", "body")).read().text()).isEqualTo("body");
      assertThat(wire.send(Wire.post("/a", "again")).read().text()).isEqualTo("again");
      assertThat(released).hasValue(2);
    }
  }

  @Test
  void anAnswerThatLacksSomethingIsBetterThanNone() throws Exception {
    Rig.Setup setup =
        new Rig.Setup()
            .handler(exchange -> {
              exchange.lostNodes();
              exchange.respond(first(200));
            })
            .standby(exchange ->
                exchange.respond(
                    new HttpReply(404, "", List.of(), List.of(), released::incrementAndGet)));
    try (Rig rig = setup.start();
        Wire wire = rig.connect()) {
      assertThat(wire.send(Wire.post("/a", "body")).read().status()).isEqualTo(200);
    }
    assertThat(released).hasValue(2);
  }

  @Test
  void allIsGivenBackWhereTheClientLeavesMeanwhile() throws Exception {
    CompletableFuture<HttpExchange> second = new CompletableFuture<>();
    CompletableFuture<String> told = new CompletableFuture<>();
    Rig.Setup setup =
        new Rig.Setup()
            .handler(exchange -> exchange.respond(first(503)))
            .standby(exchange -> {
              exchange.onDisconnect(() -> told.complete("gone"));
              second.complete(exchange);
            });
    try (Rig rig = setup.start()) {
      Wire wire = rig.connect();
      wire.send(Wire.post("/a", "body"));
      HttpExchange working = Rig.await(second);
      wire.close();
      assertThat(Rig.await(told)).isEqualTo("gone");
      Rig.onHome(working, working::drop);
    }
    assertThat(released).hasValue(1);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aReadThatPassedThroughGoesOnWhereItIsCoordinated(boolean late) throws Exception {
    RequestRouter coordinated = (method, uri) -> new RequestRouter.Coordinate("search");
    Rig.Setup setup =
        new Rig.Setup()
            .passThrough(ScriptedNode.nowhere())
            .handler(exchange -> exchange.passThrough("late"))
            .standby(exchange -> exchange.respond(Rig.reply(200, "of " + exchange.uri())));
    setup.router = late ? coordinated : setup.router;
    setup.standbyRouter = coordinated;
    try (Rig rig = setup.start();
        Wire wire = rig.connect()) {
      for (int i = 0; i < 2; i++) {
        assertThat(wire.send(Wire.get("/a")).read().text()).isEqualTo("of /a");
        RequestLog log = rig.log();
        assertThat(log.status()).isEqualTo(200);
        assertThat(log.path()).isEqualTo("coordinated");
        assertThat(log.cluster()).isEqualTo("standby");
      }
    }
  }

  @Test
  void aBodyThatWasGatheredGoesAlong() throws Exception {
    BlockingQueue<ScriptedNode.Request> seen = new LinkedBlockingQueue<>();
    try (ScriptedNode node =
        new ScriptedNode(conversation -> {
          while (true) {
            seen.add(conversation.read());
            conversation.answer(200, "from the node");
          }
        })) {
      Rig.Setup setup =
          new Rig.Setup()
              .passThrough(ScriptedNode.nowhere())
              .handler(exchange -> exchange.passThrough("late"))
              .elsewhere(node.address());
      setup.router = (method, uri) -> new RequestRouter.Coordinate("search");
      setup.standbyRouter = (method, uri) -> new RequestRouter.PassThrough("other");
      String[] rests = {
        "Content-Length: 4\r\n\r\nbody", "Transfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n"
      };
      try (Rig rig = setup.start();
          Wire wire = rig.connect()) {
        for (String rest : rests) {
          wire.send("POST /a HTTP/1.1\r\nHost: x\r\n" + rest);
          assertThat(wire.read().text()).as(rest).isEqualTo("from the node");
          assertThat(seen.take().text()).as(rest).isEqualTo("body");
        }
        assertThat(wire.send(Wire.get("/a")).read().text()).isEqualTo("from the node");
        assertThat(seen.take().text()).isEmpty();
      }
    }
  }
}
