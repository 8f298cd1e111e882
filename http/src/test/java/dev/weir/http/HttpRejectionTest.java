package dev.weir.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.http.body.BufferedBodyTest;
import dev.weir.http.options.HttpLimits;
import dev.weir.model.HttpExchange;
import dev.weir.testkit.fixtures.RawHttpConnection;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that the server rejects, with a node's error where a node has one. */
class HttpRejectionTest {

  @Test
  void refusesABodyThatIsTooLongBeforeItIsSent() throws Exception {
    try (HttpServerFixture rig = HttpServerFixture.echoing().start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(
          RawHttpConnection.request(
              "POST", "/e", "", "Expect: 100-continue", "Content-Length: 200000000"));
      assertThat(wire.read().head())
          .isEqualTo(
              "HTTP/1.1 413 Request Entity Too Large\nconnection: close\ncontent-length: 0\n");
      wire.expectClosed();
    }
  }

  @Test
  void closesWhereABodyThatIsTooLongMayComeBeforeItsRefusal() throws Exception {
    String body = RawHttpConnection.get("/smuggled");
    try (HttpServerFixture rig = new HttpServerFixture.Setup().start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(
          RawHttpConnection.get("/slow")
              + RawHttpConnection.request(
                  "POST", "/e", "", "Expect: 100-continue", "Content-Length: 200000000")
              + body);
      HttpExchange slow = rig.take();
      HttpServerFixture.onHome(slow, () -> slow.respond(HttpServerFixture.reply(200, "slow")));
      assertThat(wire.read().text()).isEqualTo("slow");
      assertThat(wire.read().head())
          .isEqualTo(
              "HTTP/1.1 413 Request Entity Too Large\nconnection: close\ncontent-length: 0\n");
      wire.expectClosed();
      assertThat(rig.taken).isEmpty();
    }
  }

  @Test
  void neverParseABodyAsARequest() throws Exception {
    String body = RawHttpConnection.get("/smuggled");
    try (HttpServerFixture rig = HttpServerFixture.echoing().start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.post("/e", body, "Expect: tea"));
      assertThat(wire.read().head())
          .isEqualTo("HTTP/1.1 417 Expectation Failed\nconnection: close\ncontent-length: 0\n");
      wire.expectClosed();
    }
  }

  @Test
  void refusesAnExpectationThatItDoesNotKnow() throws Exception {
    try (HttpServerFixture rig = HttpServerFixture.echoing().start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.get("/e", "Expect: tea"));
      assertThat(wire.read().head())
          .isEqualTo("HTTP/1.1 417 Expectation Failed\ncontent-length: 0\n");
    }
  }

  @Test
  void refusesALongBodyByItsAnnouncedLengthAndReadsOn() throws Exception {
    HttpLimits limits = new HttpLimits(4096, 16384, 1000, 128, 100);
    try (HttpServerFixture rig = HttpServerFixture.echoing().limits(limits).start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(
          RawHttpConnection.post("/long", "x".repeat(1001))
              + RawHttpConnection.post("/short", "x".repeat(1000)));

      RawHttpConnection.Response refused = wire.read();
      assertThat(refused.head())
          .isEqualTo("HTTP/1.1 413 Request Entity Too Large\ncontent-length: 0\n");
      assertThat(wire.read().status()).isEqualTo(200);
      assertThat(rig.log().status()).isEqualTo(413);
    }
  }

  @Test
  void refusesALongBodyAsItArrivesAndCloses() throws Exception {
    HttpLimits limits = new HttpLimits(4096, 16384, 1000, 128, 100);
    try (HttpServerFixture rig = HttpServerFixture.echoing().limits(limits).start();
        RawHttpConnection wire = rig.connect()) {
      wire.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
      wire.send("3e9\r\n" + "x".repeat(1001) + "\r\n");

      RawHttpConnection.Response refused = wire.read();
      assertThat(refused.status()).isEqualTo(413);
      assertThat(refused.header("connection")).isEqualTo("close");
      wire.expectClosed();
    }
  }

  @Test
  void letAClientSendOnUntilItHasReadItsRejection() throws Exception {
    HttpLimits limits = new HttpLimits(4096, 16384, 1000, 128, 100);
    try (HttpServerFixture rig = HttpServerFixture.echoing().limits(limits).start();
        RawHttpConnection wire = rig.connect()) {
      wire.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
      String chunk = "10000\r\n" + "x".repeat(1 << 16) + "\r\n";
      for (int i = 0; i < 32; i++) {
        wire.send(chunk); // fails after a reset
      }
      assertThat(wire.read().status()).isEqualTo(413);
      assertThat(wire.readSome(new byte[1])).as("the end, not a reset").isEqualTo(-1);
    }
  }

  @Test
  void rejectInvalidHttpWithANodesError() throws Exception {
    try (HttpServerFixture rig = HttpServerFixture.echoing().start()) {
      assertRefused(
          rig,
          "GET / HTTP/9\r\n\r\n",
          "HTTP/1.0 400 Bad Request",
          "{\"error\":{\"root_cause\":[{\"type\":\"illegal_argument_exception\",\"reason\":\"invalid"
              + " version format:"
              + " HTTP/9\"}],\"type\":\"illegal_argument_exception\",\"reason\":\"invalid version"
              + " format: HTTP/9\"},\"status\":400}");
      assertRefused(
          rig,
          "GET /" + "a".repeat(5000) + " HTTP/1.1\r\n\r\n",
          "HTTP/1.0 400 Bad Request",
          "{\"error\":{\"root_cause\":[{\"type\":\"too_long_http_line_exception\",\"reason\":\"An"
              + " HTTP line is larger than 4096"
              + " bytes.\"}],\"type\":\"too_long_http_line_exception\",\"reason\":\"An HTTP line is"
              + " larger than 4096 bytes.\"},\"status\":400}");
      assertRefused(
          rig,
          "GET / HTTP/1.1\r\nLong: " + "a".repeat(20000) + "\r\n\r\n",
          "HTTP/1.1 400 Bad Request",
          "{\"error\":{\"root_cause\":[{\"type\":\"too_long_http_header_exception\",\"reason\":"
              + "\"HTTP header is larger than 16384 bytes.\"}],\"type\":"
              + "\"too_long_http_header_exception\",\"reason\":\"HTTP header is larger than 16384"
              + " bytes.\"},\"status\":400}");
      assertRefused(
          rig,
          "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
          "HTTP/1.1 400 Bad Request",
          "{\"error\":{\"root_cause\":[{\"type\":\"number_format_exception\",\"reason\":\"Invalid"
              + " character in chunk size\"}],\"type\":\"number_format_exception\",\"reason\":"
              + "\"Invalid character in chunk size\"},\"status\":400}");
    }
  }

  @Test
  void closesWithoutAWordOnAMethodThatANodeDoesNotKnow() throws Exception {
    try (HttpServerFixture rig = HttpServerFixture.echoing().start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.request("FOO", "/", ""));
      wire.expectClosed();
      assertThat(rig.log().status()).isEqualTo(405);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"HTTP/9.9", "HTTP/2.0", "HTTP/1.2", "HTTP/0.9"})
  void closesWithoutAWordOnAVersionThatANodeDoesNotKnow(String version) throws Exception {
    try (HttpServerFixture rig = HttpServerFixture.echoing().start();
        RawHttpConnection wire = rig.connect()) {
      wire.send("GET / " + version + "\r\nHost: a\r\nConnection: keep-alive\r\n\r\n");
      wire.expectClosed();
      assertThat(rig.log().status()).isEqualTo(505);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "HTTP/1.1|Transfer-Encoding: identity|Transfer-Encoding: chunked",
        "HTTP/1.1|Transfer-Encoding: chunked|Transfer-Encoding: identity",
        "HTTP/1.1|Transfer-Encoding: chunked|Transfer-Encoding: chunked",
        "HTTP/1.1|Transfer-Encoding: chunked, identity",
        "HTTP/1.1|Transfer-Encoding: chunked, chunked",
        "HTTP/1.1|Transfer-Encoding: identity",
        "HTTP/1.1|Transfer-Encoding: xchunked|Content-Length: 3",
        "HTTP/1.1|Transfer-Encoding: chunked|Content-Length: 3",
        "HTTP/1.0|Transfer-Encoding: chunked|Content-Length: 3",
        "HTTP/1.0|Transfer-Encoding: chunked"
      })
  void rejectAmbiguousFraming(String head) throws Exception {
    String[] parts = head.split("\\|");
    String lines = String.join("\r\n", Arrays.asList(parts).subList(1, parts.length));
    try (HttpServerFixture rig = new HttpServerFixture.Setup().passThrough().start();
        RawHttpConnection wire = rig.connect()) {
      wire.send("POST /a " + parts[0] + "\r\nHost: x\r\n" + lines + "\r\n\r\n");
      wire.sendQuietly("1\r\nX\r\n0\r\n\r\n");
      RawHttpConnection.Response refused = wire.read();
      assertThat(refused.status()).isEqualTo(400);
      wire.expectClosed();
      assertThat(rig.log().status()).isEqualTo(400);
    }
  }

  @Test
  void refusesBodiesBeyondTheBudget() throws Exception {
    HttpServerFixture.Setup setup = new HttpServerFixture.Setup();
    setup.budget = 30_000;
    try (HttpServerFixture rig = setup.start();
        RawHttpConnection first = rig.connect();
        RawHttpConnection second = rig.connect()) {
      first.send(RawHttpConnection.post("/1", "x".repeat(15_000)));
      HttpExchange holding = rig.take();
      second.send(RawHttpConnection.post("/2", "x".repeat(15_000)));

      RawHttpConnection.Response refused = second.read();
      assertThat(refused.status()).isEqualTo(429);
      assertThat(refused.header("retry-after")).isEqualTo("1");
      assertThat(refused.text())
          .isEqualTo(
              "{\"error\":{\"root_cause\":[{\"type\":\"circuit_breaking_exception\",\"reason\":\"[in_flight_requests]"
                  + " Data too large, data for [<http_request>] would be [32768/32kb], which is"
                  + " larger than the limit of [30000/29.2kb]; retry after 1 s, or raise"
                  + " admission.max-total-body-bytes\","
                  + "\"bytes_wanted\":32768,\"bytes_limit\":30000,\"durability\":\"TRANSIENT\"}],\"type\":\"circuit_breaking_exception\",\"reason\":\"[in_flight_requests]"
                  + " Data too large, data for [<http_request>] would be [32768/32kb], which is"
                  + " larger than the limit of [30000/29.2kb]; retry after 1 s, or raise"
                  + " admission.max-total-body-bytes\",\"bytes_wanted\":32768,\"bytes_limit\":30000,"
                  + "\"durability\":\"TRANSIENT\"},\"status\":429}");
      HttpServerFixture.onHome(
          holding, () -> holding.respond(HttpServerFixture.reply(200, "done")));
      assertThat(first.read().text()).isEqualTo("done");
      rig.log();
      rig.log();
      second.send(RawHttpConnection.post("/3", "x".repeat(15_000)));
      HttpExchange later = rig.take();
      HttpServerFixture.onHome(later, () -> later.respond(HttpServerFixture.reply(200, "fits")));
      assertThat(second.read().text()).isEqualTo("fits");
    }
  }

  /** Otherwise nothing that the client sends on the connection would be answered. */
  @Test
  void closeWhenTheRestOfARefusedBodyCanNotBeDecoded() throws Exception {
    HttpServerFixture.Setup setup = new HttpServerFixture.Setup();
    setup.budget = 30_000;
    try (HttpServerFixture rig = setup.start();
        RawHttpConnection first = rig.connect();
        RawHttpConnection second = rig.connect()) {
      first.send(RawHttpConnection.post("/1", "x".repeat(15_000)));
      HttpExchange holding = rig.take();
      second.send(
          "POST /2 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3a98\r\n"
              + "x".repeat(15_000)
              + "\r\n");
      assertThat(second.read().status()).isEqualTo(429);
      second.send("ZZ\r\n" + RawHttpConnection.get("/3"));
      second.expectClosed();
      HttpServerFixture.onHome(
          holding, () -> holding.respond(HttpServerFixture.reply(200, "done")));
      assertThat(first.read().text()).isEqualTo("done");
    }
  }

  @Test
  void chargeABodyUntilTheWorkEndsAfterADisconnect() throws Exception {
    try (HttpServerFixture rig = new HttpServerFixture.Setup().start()) {
      HttpExchange working;
      try (RawHttpConnection wire = rig.connect()) {
        wire.send(RawHttpConnection.post("/_bulk", "x".repeat(15_000)));
        working = rig.take();
      }
      assertThat(rig.log().status()).isEqualTo(499);
      assertThat(rig.budget.used()).isGreaterThanOrEqualTo(15_000);
      CompletableFuture<Long> after = new CompletableFuture<>();
      HttpServerFixture.onHome(
          working,
          () -> {
            working.respond(HttpServerFixture.reply(200, "nobody hears it"));
            after.complete(rig.budget.used());
          });
      assertThat(HttpServerFixture.await(after)).isZero();
    }
  }

  @Test
  void refusesConnectionsBeyondTheLimit() throws Exception {
    HttpLimits limits = new HttpLimits(4096, 16384, 1000, 128, 1);
    try (HttpServerFixture rig = new HttpServerFixture.Setup().limits(limits).start()) {
      try (RawHttpConnection first = rig.connect()) {
        first.send(RawHttpConnection.get("/1"));
        HttpExchange working = rig.take();
        try (RawHttpConnection second = rig.connect()) {
          RawHttpConnection.Response refused = second.read();
          assertThat(refused.status()).isEqualTo(503);
          assertThat(refused.text()).contains("expected: at most 1");
          second.expectClosed();
        }
        HttpServerFixture.onHome(
            working, () -> working.respond(HttpServerFixture.reply(200, "done")));
        assertThat(first.read().text()).isEqualTo("done");
      }
    }
  }

  @Test
  void closeSilentConnectionsInFavourOfNewOnes() throws Exception {
    HttpLimits limits = new HttpLimits(4096, 16384, 1000, 128, 2);
    try (HttpServerFixture rig = HttpServerFixture.echoing().limits(limits).start();
        RawHttpConnection regular = rig.connect()) {
      regular.send(RawHttpConnection.get("/1"));
      assertThat(regular.read().status()).isEqualTo(200);
      try (RawHttpConnection half = rig.connect()) {
        half.send("GET /never HTTP/1.1\r\nHo");
        String answer = "";
        while (!answer.startsWith("GET /2")) {
          LockSupport.parkNanos(20_000_000);
          regular.send(RawHttpConnection.get("/busy"));
          assertThat(regular.read().status()).isEqualTo(200);
          answer = answerOfANewConnection(rig);
        }
        half.expectClosed();
      }
      regular.send(RawHttpConnection.get("/3"));
      assertThat(regular.read().status()).isEqualTo(200);
    }
  }

  @Test
  void decodeBodiesAndBoundTheirDecodedLength() throws Exception {
    HttpLimits limits = new HttpLimits(4096, 16384, 1 << 20, 128, 100);
    try (HttpServerFixture rig = HttpServerFixture.echoing().limits(limits).start();
        RawHttpConnection wire = rig.connect();
        RawHttpConnection bomb = rig.connect();
        RawHttpConnection broken = rig.connect()) {
      send(wire, BufferedBodyTest.gzip("hello".getBytes(StandardCharsets.UTF_8)), "gzip");
      assertThat(wire.read().text()).isEqualTo("POST / hello");
      send(wire, "as it is".getBytes(StandardCharsets.UTF_8), "unknown");
      assertThat(wire.read().text()).isEqualTo("POST / as it is");

      send(bomb, BufferedBodyTest.gzip(new byte[50 << 20]), "gzip");
      assertThat(bomb.read().status()).isEqualTo(413);
      bomb.expectClosed();

      send(broken, "not gzip at all".getBytes(StandardCharsets.UTF_8), "gzip");
      broken.expectClosed();
    }
  }

  /** The body, or why there is none. */
  private static String answerOfANewConnection(HttpServerFixture rig) throws Exception {
    try (RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.get("/2"));
      return wire.read().text();
    } catch (IOException closed) {
      return closed.toString();
    }
  }

  private static void assertRefused(
      HttpServerFixture rig, String sent, String statusLine, String body) throws Exception {
    try (RawHttpConnection wire = rig.connect()) {
      wire.send(sent);
      RawHttpConnection.Response response = wire.read();
      assertThat(response.statusLine()).isEqualTo(statusLine);
      assertThat(response.text()).isEqualTo(body);
      wire.expectClosed();
      assertThat(rig.log().status()).isEqualTo(400);
    }
  }

  private static void send(RawHttpConnection wire, byte[] body, String coding) throws IOException {
    wire.send(
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Encoding: "
            + coding
            + "\r\nContent-Length: "
            + body.length
            + "\r\n\r\n");
    wire.sendUntilRefused(body, 1);
  }
}
