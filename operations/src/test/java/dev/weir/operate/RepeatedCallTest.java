package dev.weir.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.weir.client.RestConnections;
import dev.weir.client.RestTarget;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Calls of two targets: one where nothing listens, one that answers as the test says. */
class RepeatedCallTest {
  private static final Duration LONG = Duration.ofMinutes(1);

  private final Deque<Integer> statuses = new ArrayDeque<>();
  private final RestConnections connections = new RestConnections();
  private final HttpServer server;
  private final RestTarget answering;
  private final RestTarget closed;
  private int calls;

  RepeatedCallTest() throws IOException {
    server = start();
    server.createContext(
        "/",
        exchange -> {
          calls++;
          exchange.getRequestBody().readAllBytes();
          int status = statuses.size() > 1 ? statuses.removeFirst() : statuses.getFirst();
          byte[] body = ("status " + status).getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(status, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    answering = target(server);
    HttpServer other = start();
    closed = target(other);
    other.stop(0);
  }

  private static HttpServer start() throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.start();
    return server;
  }

  private RestTarget target(HttpServer at) {
    URI base = URI.create("http://127.0.0.1:" + at.getAddress().getPort());
    return new RestTarget(connections, base, Map.of());
  }

  @AfterEach
  void close() {
    server.stop(0);
    connections.close();
  }

  private RestTarget.Response send(Duration timeout, int... finalStatuses)
      throws OperationException, InterruptedException {
    return new RepeatedCall(List.of(closed, answering), timeout)
        .send(
            "POST",
            "/x",
            "{}",
            response -> {
              for (int status : finalStatuses) {
                if (response.status() == status) {
                  return true;
                }
              }
              return false;
            });
  }

  @Test
  void goOnToTheNextTargetAndOverWhatPasses() throws Exception {
    statuses.addAll(List.of(503, 429, 200));
    assertThat(send(LONG).body()).isEqualTo("status 200");
    assertThat(calls).isEqualTo(3);
  }

  @Test
  void goOnToTheNextTargetAfterAHandshakeThatBreaksOff() throws Exception {
    statuses.add(200);
    try (ServerSocket starting = new ServerSocket(0, 0, InetAddress.getLoopbackAddress())) {
      Thread.ofVirtual().start(() -> closeAll(starting));
      RestTarget tls =
          new RestTarget(
              connections, URI.create("https://127.0.0.1:" + starting.getLocalPort()), Map.of());
      assertThat(
              new RepeatedCall(List.of(tls, answering), LONG)
                  .send("GET", "/x", null, response -> false)
                  .status())
          .isEqualTo(200);
    }
    assertThat(calls).isEqualTo(1);
  }

  /** Closes each connection after its first bytes, as a server that is ending does. */
  private static void closeAll(ServerSocket server) {
    while (!server.isClosed()) {
      try (Socket client = server.accept()) {
        client.getInputStream().read();
      } catch (IOException closed) {
        // the next one, or the end
      }
    }
  }

  @Test
  void returnWhatARepetitionDoesNotChange() throws Exception {
    statuses.add(500);
    assertThat(send(LONG).status()).isEqualTo(500);
    statuses.add(403);
    statuses.removeFirst();
    assertThat(send(LONG).status()).isEqualTo(403);
    assertThat(calls).isEqualTo(2);
  }

  @Test
  void returnATransientResponseThatIsFinal() throws Exception {
    statuses.add(408);
    assertThat(send(LONG, 408).status()).isEqualTo(408);
    assertThat(calls).isEqualTo(1);
  }

  @Test
  void repeatNothingWithoutItsPrecondition() {
    statuses.addAll(List.of(503, 200));
    OperationException refusal = new OperationException("not any more");
    assertThatThrownBy(() ->
            new RepeatedCall(List.of(answering), LONG)
                .send(
                    "PUT",
                    "/x",
                    "{}",
                    response -> false,
                    () -> {
                      throw refusal;
                    }))
        .isSameAs(refusal);
    assertThat(calls).isEqualTo(1);
  }

  @Test
  void sayTheLastProblemWhenTheTimeIsOver() {
    statuses.add(503);
    assertThatThrownBy(() -> send(Duration.ZERO))
        .isInstanceOf(OperationException.class)
        .hasMessageStartingWith("POST /x got no answer from " + closed.base())
        .hasCauseInstanceOf(IOException.class);
    assertThatThrownBy(() ->
            new RepeatedCall(List.of(answering), Duration.ZERO)
                .send("GET", "/x", null, response -> false))
        .isInstanceOf(OperationException.class)
        .hasMessage("GET /x got status 503 (expected: 200): status 503");
  }
}
