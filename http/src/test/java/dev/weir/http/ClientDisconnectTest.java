package dev.weir.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.BufferedResponse;
import dev.weir.model.CompletedRequest;
import dev.weir.model.HttpExchange;
import dev.weir.testkit.fixtures.RawHttpConnection;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Clients that leave in the middle of a request or a response. */
class ClientDisconnectTest {
  @Test
  void releaseHalfSentBody() throws Exception {
    try (HttpServerFixture rig = HttpServerFixture.echoing().start()) {
      try (RawHttpConnection wire = rig.connect()) {
        wire.send("POST /half HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n");
        wire.send("x".repeat(50_000));
        wire.reset();
      }
      CompletedRequest log = rig.log();
      assertThat(log.status()).isEqualTo(499);
      assertThat(log.uri()).isEqualTo("/half");
      assertThat(rig.taken).isEmpty();
    }
  }

  @Test
  void notifyHandlerOfDisconnect() throws Exception {
    CompletableFuture<String> notified = new CompletableFuture<>();
    AtomicInteger released = new AtomicInteger();
    try (HttpServerFixture rig = new HttpServerFixture.Setup().start()) {
      RawHttpConnection wire = rig.connect();
      wire.send(RawHttpConnection.post("/slow", "body"));
      HttpExchange exchange = rig.take();
      HttpServerFixture.onHome(
          exchange, () -> exchange.onDisconnect(() -> notified.complete("disconnected")));
      wire.close();

      assertThat(HttpServerFixture.await(notified)).isEqualTo("disconnected");
      assertThat(rig.log().status()).isEqualTo(499);
      CompletableFuture<Void> late = new CompletableFuture<>();
      HttpServerFixture.onHome(
          exchange,
          () -> {
            exchange.respond(
                new BufferedResponse(200, "", List.of(), List.of(), released::incrementAndGet));
            exchange.passThrough("late");
            exchange.onDisconnect(() -> late.complete(null));
          });
      HttpServerFixture.await(late);
      assertThat(released).hasValue(1);
      assertThat(rig.logged).isEmpty();
    }
  }

  @Test
  void notifyHandlerBeforeReleasingResponse() throws Exception {
    List<String> order = new CopyOnWriteArrayList<>();
    CompletableFuture<Void> released = new CompletableFuture<>();
    try (HttpServerFixture rig = new HttpServerFixture.Setup().start()) {
      RawHttpConnection wire = rig.connect();
      wire.send(RawHttpConnection.post("/large", "body"));
      HttpExchange exchange = rig.take();
      HttpServerFixture.onHome(
          exchange,
          () -> {
            exchange.onDisconnect(() -> order.add("disconnected"));
            exchange.respond(
                new BufferedResponse(
                    200,
                    "",
                    List.of(),
                    List.of(ByteBuffer.allocate(16 << 20)),
                    () -> {
                      order.add("released");
                      released.complete(null);
                    }));
          });
      wire.close();
      HttpServerFixture.await(released);
      assertThat(order).containsExactly("disconnected", "released");
    }
  }

  @Test
  void endAllRequestsOfAConnectionWhateverACallbackThrows() throws Exception {
    CompletableFuture<Void> registered = new CompletableFuture<>();
    List<String> notified = new CopyOnWriteArrayList<>();
    try (HttpServerFixture rig = new HttpServerFixture.Setup().start()) {
      RawHttpConnection wire = rig.connect();
      wire.send(RawHttpConnection.post("/1", "body") + RawHttpConnection.post("/2", "body"));
      HttpExchange first = rig.take();
      HttpExchange second = rig.take();
      HttpServerFixture.onHome(
          first,
          () -> {
            first.onDisconnect(() -> {
              throw new IllegalStateException("got a callback that fails");
            });
            first.onDisconnect(() -> notified.add("first"));
            second.onDisconnect(() -> notified.add("second"));
            registered.complete(null);
          });
      HttpServerFixture.await(registered);
      wire.close();
      assertThat(rig.log().status()).isEqualTo(499);
      assertThat(rig.log().status()).isEqualTo(499);
      assertThat(notified).containsExactly("first", "second");
      HttpServerFixture.onHome(first, first::drop);
      HttpServerFixture.onHome(second, second::drop);
    }
  }
}
