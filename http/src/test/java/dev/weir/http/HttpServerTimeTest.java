package dev.weir.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.http.options.HttpTimeouts;
import dev.weir.model.BufferedResponse;
import dev.weir.model.HttpExchange;
import dev.weir.testkit.fixtures.RawHttpConnection;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Clients that exceed timeouts, and the shutdown of a server. */
class HttpServerTimeTest {

  private static final Duration SHORT = Duration.ofMillis(100);
  private static final Duration LONG = Duration.ofMinutes(10);

  private static HttpServerFixture.Setup setup(
      Duration head, Duration body, Duration write, Duration idle) {
    return new HttpServerFixture.Setup().timeouts(new HttpTimeouts(head, body, write, idle));
  }

  @Test
  void closesWhenAHeadDoesNotEnd() throws Exception {
    try (HttpServerFixture rig = setup(SHORT, LONG, LONG, LONG).start();
        RawHttpConnection wire = rig.connect()) {
      wire.send("GET / HTTP/1.1\r\nHost:");
      wire.expectClosed();
      assertThat(rig.logged).isEmpty();
    }
  }

  @Test
  void closesWhenABodyDoesNotEnd() throws Exception {
    try (HttpServerFixture rig = setup(LONG, SHORT, LONG, LONG).start();
        RawHttpConnection wire = rig.connect()) {
      wire.send("POST /slow HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf");
      wire.expectClosed();
      assertThat(rig.log().status()).isEqualTo(499);
    }
  }

  @Test
  void closesWhenNoRequestComes() throws Exception {
    try (HttpServerFixture rig =
            setup(LONG, LONG, LONG, SHORT)
                .handler(exchange -> exchange.respond(HttpServerFixture.reply(200, "ok")))
                .start();
        RawHttpConnection silent = rig.connect();
        RawHttpConnection used = rig.connect()) {
      used.send(RawHttpConnection.get("/"));
      assertThat(used.read().text()).isEqualTo("ok");
      used.expectClosed();
      silent.expectClosed();
    }
  }

  @Test
  void doesNotTakeAHandlersTimeForTheClients() throws Exception {
    try (HttpServerFixture rig = setup(SHORT, SHORT, SHORT, SHORT).start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.post("/", "body"));
      HttpExchange exchange = rig.take();
      try (RawHttpConnection clock = rig.connect()) {
        // when this one is closed, the other one's timeouts have passed too
        clock.expectClosed();
      }
      HttpServerFixture.onHome(
          exchange, () -> exchange.respond(HttpServerFixture.reply(200, "late")));
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
    try (HttpServerFixture rig =
            setup(LONG, LONG, SHORT, LONG)
                .handler(exchange ->
                    exchange.respond(
                        new BufferedResponse(
                            200, "a/b", List.of(), slices, () -> released.complete(null))))
                .start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.get("/"));
      HttpServerFixture.await(released);
      assertThat(rig.log().status()).isEqualTo(499);
    }
  }

  @Test
  void drainWithoutBreakingRequestsInFlight() throws Exception {
    try (HttpServerFixture rig = new HttpServerFixture.Setup().start();
        RawHttpConnection busy = rig.connect();
        RawHttpConnection idle = rig.connect()) {
      idle.send(RawHttpConnection.get("/0"));
      HttpExchange first = rig.take();
      HttpServerFixture.onHome(first, () -> first.respond(HttpServerFixture.reply(200, "0")));
      assertThat(idle.read().header("connection")).isEmpty();
      busy.send(RawHttpConnection.get("/1"));
      HttpExchange exchange = rig.take();
      CompletableFuture<Void> drained =
          rig.server.drain(Duration.ofMinutes(5)).toCompletableFuture();

      idle.expectClosed();
      assertThat(drained).isNotDone();
      HttpServerFixture.onHome(exchange, () -> exchange.respond(HttpServerFixture.reply(200, "1")));
      RawHttpConnection.Response response = busy.read();
      assertThat(response.text()).isEqualTo("1");
      assertThat(response.header("connection")).isEqualTo("close");
      busy.expectClosed();
      HttpServerFixture.await(drained);
    }
  }

  @Test
  void closeRemainingConnectionsAtTheDeadline() throws Exception {
    try (HttpServerFixture rig = new HttpServerFixture.Setup().start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.get("/"));
      rig.take();
      HttpServerFixture.await(rig.server.drain(Duration.ofMillis(50)).toCompletableFuture());
      wire.expectClosed();
      assertThat(rig.log().status()).isEqualTo(499);
    }
  }

  @Test
  void bringTheDeadlineOfADrainForward() throws Exception {
    try (HttpServerFixture rig = new HttpServerFixture.Setup().start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.get("/"));
      rig.take();
      CompletableFuture<Void> drained = rig.server.drain(Duration.ofHours(1)).toCompletableFuture();
      CompletableFuture<Void> sooner =
          rig.server.drain(Duration.ofMillis(50)).toCompletableFuture();
      CompletableFuture<Void> later = rig.server.drain(Duration.ofHours(2)).toCompletableFuture();
      wire.expectClosed();
      assertThat(rig.log().status()).isEqualTo(499);
      for (CompletableFuture<Void> each : List.of(drained, sooner, later)) {
        HttpServerFixture.await(each);
      }
    }
  }

  @Test
  void closeAtOnceAlthoughALongDrainHasBegun() throws Exception {
    try (HttpServerFixture rig = new HttpServerFixture.Setup().start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.get("/"));
      rig.take();
      rig.server.drain(Duration.ofHours(1));
      Thread.startVirtualThread(rig.server::close);
      wire.expectClosed();
      assertThat(rig.log().status()).isEqualTo(499);
    }
  }
}
