package dev.weir.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.HttpExchange;
import dev.weir.model.HttpReply;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Clients that take too long, and the end of a server. */
class HttpServerTimeTest {

  private static final Duration SHORT = Duration.ofMillis(100);
  private static final Duration LONG = Duration.ofMinutes(10);

  private static Rig.Setup setup(Duration head, Duration body, Duration write, Duration idle) {
    return new Rig.Setup().timeouts(new HttpTimeouts(head, body, write, idle));
  }

  @Test
  void closesWhenAHeadDoesNotEnd() throws Exception {
    try (Rig rig = setup(SHORT, LONG, LONG, LONG).start();
        Wire wire = rig.connect()) {
      wire.send("GET / HTTP/1.1\r\nHost:");
      wire.expectClosed();
      assertThat(rig.logged).isEmpty();
    }
  }

  @Test
  void closesWhenABodyDoesNotEnd() throws Exception {
    try (Rig rig = setup(LONG, SHORT, LONG, LONG).start();
        Wire wire = rig.connect()) {
      wire.send("POST /slow HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf");
      wire.expectClosed();
      assertThat(rig.log().status()).isEqualTo(499);
    }
  }

  @Test
  void closesWhenNoRequestComes() throws Exception {
    try (Rig rig =
            setup(LONG, LONG, LONG, SHORT)
                .handler(exchange -> exchange.respond(Rig.reply(200, "ok")))
                .start();
        Wire silent = rig.connect();
        Wire used = rig.connect()) {
      used.send(Wire.get("/"));
      assertThat(used.read().text()).isEqualTo("ok");
      used.expectClosed();
      silent.expectClosed();
    }
  }

  @Test
  void doesNotTakeAHandlersTimeForTheClients() throws Exception {
    try (Rig rig = setup(SHORT, SHORT, SHORT, SHORT).start();
        Wire wire = rig.connect()) {
      wire.send(Wire.post("/", "body"));
      HttpExchange exchange = rig.take();
      try (Wire clock = rig.connect()) {
        // By the time that this one is closed, the other's limits have passed too.
        clock.expectClosed();
      }
      Rig.onHome(exchange, () -> exchange.respond(Rig.reply(200, "late")));
      assertThat(wire.read().text()).isEqualTo("late");
    }
  }

  @Test
  void closesWhenAClientTakesNothing() throws Exception {
    List<ByteBuffer> slices = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      slices.add(ByteBuffer.wrap(new byte[1 << 20]));
    }
    CompletableFuture<Void> released = new CompletableFuture<>();
    try (Rig rig =
            setup(LONG, LONG, SHORT, LONG)
                .handler(exchange ->
                    exchange.respond(
                        new HttpReply(
                            200, "a/b", List.of(), slices, () -> released.complete(null))))
                .start();
        Wire wire = rig.connect()) {
      wire.send(Wire.get("/"));
      Rig.await(released);
      assertThat(rig.log().status()).isEqualTo(499);
    }
  }

  @Test
  void drainsWithoutBreakingWhatIsUnderWay() throws Exception {
    try (Rig rig = new Rig.Setup().start();
        Wire busy = rig.connect();
        Wire idle = rig.connect()) {
      idle.send(Wire.get("/0"));
      HttpExchange first = rig.take();
      Rig.onHome(first, () -> first.respond(Rig.reply(200, "0")));
      assertThat(idle.read().header("connection")).isEmpty();
      busy.send(Wire.get("/1"));
      HttpExchange exchange = rig.take();
      CompletableFuture<Void> drained =
          rig.server.drain(Duration.ofMinutes(5)).toCompletableFuture();

      idle.expectClosed();
      assertThat(drained).isNotDone();
      Rig.onHome(exchange, () -> exchange.respond(Rig.reply(200, "1")));
      Wire.Response response = busy.read();
      assertThat(response.text()).isEqualTo("1");
      assertThat(response.header("connection")).isEqualTo("close");
      busy.expectClosed();
      Rig.await(drained);
    }
  }

  @Test
  void closesWhatIsLeftAtTheDeadline() throws Exception {
    try (Rig rig = new Rig.Setup().start();
        Wire wire = rig.connect()) {
      wire.send(Wire.get("/"));
      rig.take();
      Rig.await(rig.server.drain(Duration.ofMillis(50)).toCompletableFuture());
      wire.expectClosed();
      assertThat(rig.log().status()).isEqualTo(499);
    }
  }
}
