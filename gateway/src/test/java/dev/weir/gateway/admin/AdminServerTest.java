package dev.weir.gateway.admin;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.observe.admin.AdminResponse;
import dev.weir.testkit.fixtures.RawHttpConnection;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class AdminServerTest {
  private final AtomicInteger drained = new AtomicInteger();
  private final HttpClient client = HttpClient.newHttpClient();
  private final AdminServer server;

  AdminServerTest() throws IOException {
    AdminRouter site =
        AdminRouter.builder()
            .get("/livez", () -> AdminResponse.text(200, "ok\n"))
            .get(
                "/broken",
                () -> {
                  throw new IllegalStateException("on purpose");
                })
            .postWithQuery(
                "/nodes/{node}/weight",
                query -> AdminResponse.json(200, Map.of("got", new TreeMap<>(query).toString())))
            .post(
                "/drain", () -> AdminResponse.json(202, Map.of("times", drained.incrementAndGet())))
            .build();
    server = AdminTestServers.start(site);
  }

  @AfterEach
  void stop() {
    client.close();
    server.close();
  }

  private HttpResponse<String> send(String method, String path)
      throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + server.address().getPort() + path);
    return client.send(
        HttpRequest.newBuilder(uri).method(method, HttpRequest.BodyPublishers.noBody()).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void giveAPagePartsOfItsPath() throws Exception {
    assertThat(send("POST", "/nodes/rack%2Fa+1%20x/weight?weight=0.5&node=other").body())
        .contains("{node=rack/a+1 x, weight=0.5}");
    assertThat(send("GET", "/nodes/a/weight").statusCode()).isEqualTo(405);
    assertThat(send("POST", "/nodes/a/b/weight").statusCode()).isEqualTo(404);
    assertThat(send("POST", "/nodes/a").statusCode()).isEqualTo(404);
    try (Socket wire = new Socket("127.0.0.1", server.address().getPort())) {
      wire.getOutputStream()
          .write("GET /nodes/%zz/weight HTTP/1.1\r\nhost: localhost\r\n\r\n".getBytes(US_ASCII));
      byte[] status = wire.getInputStream().readNBytes(12);
      assertThat(new String(status, US_ASCII)).isEqualTo("HTTP/1.1 404");
    }
    assertThat(send("GET", "/").body()).contains("POST /nodes/{node}/weight");
  }

  @Test
  void servePagesOverOneConnection() throws Exception {
    for (int i = 1; i <= 3; i++) {
      HttpResponse<String> live = send("GET", "/livez?verbose");
      assertThat(live.statusCode()).isEqualTo(200);
      assertThat(live.body()).isEqualTo("ok\n");
      assertThat(live.headers().firstValue("cache-control")).contains("no-store");
      assertThat(send("POST", "/drain").body()).contains("\"times\": " + i);
    }
    HttpResponse<String> head = send("HEAD", "/livez");
    assertThat(head.body()).isEmpty();
    assertThat(head.headers().firstValueAsLong("content-length")).hasValue(3);
  }

  @Test
  void listThePages() throws Exception {
    assertThat(send("GET", "/").body())
        .isEqualTo("GET /livez\nGET /broken\nPOST /nodes/{node}/weight\nPOST /drain\n");
    HttpResponse<String> missing = send("GET", "/nothing");
    assertThat(missing.statusCode()).isEqualTo(404);
    assertThat(missing.body()).contains("got /nothing").contains("GET /livez");
    HttpResponse<String> wrong = send("GET", "/drain");
    assertThat(wrong.statusCode()).isEqualTo(405);
    assertThat(wrong.body()).isEqualTo("got GET (expected: POST)\n");
    assertThat(drained).hasValue(0);
  }

  @Test
  void rejectAQueryWithAMalformedEscape() throws Exception {
    String get = "GET /livez%s HTTP/1.1\r\nHost: localhost\r\n\r\n";
    try (RawHttpConnection wire = new RawHttpConnection(server.address(), Duration.ofMinutes(1))) {
      RawHttpConnection.Response rejected = wire.send(get.formatted("?a=%zz")).read();
      assertThat(rejected.status()).isEqualTo(400);
      assertThat(rejected.text())
          .isEqualTo("got a query with a malformed % (expected: %25 for %)\n");
      assertThat(wire.send(get.formatted("?a=%7a")).read().status()).isEqualTo(200);
    }
  }

  @Test
  void reportAFailingPageAsAnError() throws Exception {
    assertThat(send("GET", "/broken").statusCode()).isEqualTo(500);
    assertThat(send("GET", "/livez").statusCode()).isEqualTo(200);
  }

  /** A connection with a part of a request. */
  private Socket sendHalfHead() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.address().getPort());
    socket.getOutputStream().write("GET /livez HTTP/1.1\r\nHost: loc".getBytes(US_ASCII));
    return socket;
  }

  @Test
  void answerWhileHalfHeadsHoldAllConnections() throws Exception {
    List<Socket> halfHeads = new ArrayList<>();
    try {
      for (int i = 0; i < 400; i++) {
        halfHeads.add(sendHalfHead());
        if (i % 20 == 19) {
          try (Socket probe =
              new Socket(InetAddress.getLoopbackAddress(), server.address().getPort())) {
            probe
                .getOutputStream()
                .write("GET /livez HTTP/1.1\r\nConnection: close\r\n\r\n".getBytes(US_ASCII));
            assertThat(new String(probe.getInputStream().readAllBytes(), US_ASCII))
                .as("after %s half heads", i + 1)
                .startsWith("HTTP/1.1 200 ");
          }
        }
      }
    } finally {
      for (Socket socket : halfHeads) {
        socket.close();
      }
    }
  }

  @Test
  void closeAConnectionWithoutACompleteRequest() throws Exception {
    try (Socket socket = sendHalfHead()) {
      socket.setSoTimeout(60_000);
      assertThat(socket.getInputStream().read()).isEqualTo(-1);
    }
  }

  @Test
  void reportAnAddressInUse() {
    assertThatThrownBy(() ->
            AdminTestServers.start(
                server.address(), AdminRouter.builder().build(), AdminTestServers.policy(""), null))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("in use");
  }
}
