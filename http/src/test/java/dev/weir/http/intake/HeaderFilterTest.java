package dev.weir.http.intake;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.http.HttpServerFixture;
import dev.weir.http.ScriptedHeaderFilter;
import dev.weir.http.ScriptedNode;
import dev.weir.http.error.ErrorBody;
import dev.weir.http.intake.HeaderFilter.Admit;
import dev.weir.http.intake.HeaderFilter.Delay;
import dev.weir.http.intake.HeaderFilter.Reject;
import dev.weir.http.intake.HeaderFilter.Result;
import dev.weir.model.CompletedRequest;
import dev.weir.model.HttpExchange;
import dev.weir.model.RequestHead;
import dev.weir.model.RequestPolicy;
import dev.weir.model.RequestRouter;
import dev.weir.testkit.fixtures.RawHttpConnection;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests at the header filter, before their bodies are read. */
class HeaderFilterTest {
  private static final Delay BRIEFLY = new Delay(2_000_000);
  private static final Delay FOR_EVER = new Delay(Duration.ofHours(1).toNanos());
  private static final Reject REFUSED =
      new Reject(
          new ErrorBody(429, "test_exception", "too fast"), Map.of("Retry-After", "7"), 1042);
  private static final String REFUSAL =
      "{\"error\":{\"root_cause\":[{\"type\":\"test_exception\",\"reason\":\"too fast\"}],"
          + "\"type\":\"test_exception\",\"reason\":\"too fast\"},\"status\":429}";

  /**
   * The path scripts the filter: w(ait briefly), h(old forever), r(eject), anything else admits.
   */
  private static ScriptedHeaderFilter gate() {
    return ScriptedHeaderFilter.doing(HeaderFilterTest::script);
  }

  private static List<Result> script(RequestHead head) {
    List<Result> script = new ArrayList<>();
    for (char c : head.uri().substring(1).toCharArray()) {
      switch (c) {
        case 'w' -> script.add(BRIEFLY);
        case 'h' -> script.add(FOR_EVER);
        case 'r' -> script.add(REFUSED);
        default -> {}
      }
    }
    script.add(Admit.NOW);
    return script;
  }

  private static HttpServerFixture.Setup echoing(ScriptedHeaderFilter gate) {
    HttpServerFixture.Setup setup = HttpServerFixture.echoing();
    setup.gate = gate;
    return setup;
  }

  private static ScriptedHeaderFilter.ScriptedSession next(
      BlockingQueue<ScriptedHeaderFilter.ScriptedSession> from) throws Exception {
    ScriptedHeaderFilter.ScriptedSession visit =
        from.poll(HttpServerFixture.PATIENCE_SECONDS, TimeUnit.SECONDS);
    assertThat(visit).as("a visit").isNotNull();
    return visit;
  }

  @Test
  void asksAgainAfterEachWaitAndThenReadsTheBody() throws Exception {
    ScriptedHeaderFilter gate = gate();
    String body = "b".repeat(300_000);
    try (HttpServerFixture rig = echoing(gate).start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.post("/www", body));
      assertThat(wire.read().text()).isEqualTo("POST /www " + body);
      ScriptedHeaderFilter.ScriptedSession visit = next(gate.ended);
      assertThat(visit.asked).hasValue(4);
      assertThat(visit.announced).isEqualTo(body.length());
      assertThat(visit.received).hasValue(body.length());
      assertThat(visit.passedThrough).isFalse();
    }
  }

  @Test
  void keepsNothingOfABodyAndReadsNoMoreOfItWhileItWaits() throws Exception {
    ScriptedHeaderFilter gate = gate();
    try (HttpServerFixture rig = echoing(gate).start()) {
      RawHttpConnection wire = rig.connect();
      int size = 64 << 20;
      wire.send("POST /h HTTP/1.1\r\nHost: x\r\nContent-Length: " + size + "\r\n\r\n");
      next(gate.asking);
      AtomicLong sent = new AtomicLong();
      Thread sender =
          Thread.ofVirtual()
              .start(() -> {
                byte[] piece = new byte[64 << 10];
                while (sent.get() < size && wire.sendUntilRefused(piece, 1)) {
                  sent.addAndGet(piece.length);
                }
              });
      rig.awaitStandstill(sent);
      assertThat(sent.get()).as("bytes that went out").isLessThan(size);
      assertThat(rig.budget.used()).isZero();
      assertThat(gate.seen.getFirst().received).hasValue(0);
      wire.reset();
      sender.join();
      rig.server.drain(Duration.ZERO);
      assertThat(next(gate.ended).received).hasValue(0);
    }
  }

  @Test
  void keepsTheOrderOfPipelinedRequests() throws Exception {
    ScriptedHeaderFilter gate = gate();
    try (HttpServerFixture rig = echoing(gate).start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(
          RawHttpConnection.get("/1w")
              + RawHttpConnection.post("/2", "two")
              + RawHttpConnection.post("/3ww", "three")
              + RawHttpConnection.get("/4r")
              + RawHttpConnection.get("/5"));
      assertThat(wire.read().text()).isEqualTo("GET /1w ");
      assertThat(wire.read().text()).isEqualTo("POST /2 two");
      assertThat(wire.read().text()).isEqualTo("POST /3ww three");
      assertThat(wire.read().text()).isEqualTo(REFUSAL);
      assertThat(wire.read().text()).isEqualTo("GET /5 ");
      assertThat(gate.seen)
          .extracting(visit -> visit.uri)
          .containsExactly("/1w", "/2", "/3ww", "/4r", "/5");
    }
  }

  @Test
  void refusesInOpenSearchsFormatAndReadsTheBodyForNothing() throws Exception {
    ScriptedHeaderFilter gate = gate();
    try (HttpServerFixture rig = echoing(gate).start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(
          RawHttpConnection.post("/r", "x".repeat(2_000_000)) + RawHttpConnection.get("/next"));
      RawHttpConnection.Response refused = wire.read();
      assertThat(refused.status()).isEqualTo(429);
      assertThat(refused.header("retry-after")).isEqualTo("7");
      assertThat(refused.header("x-weir-request-id")).isEqualTo("1042");
      assertThat(refused.header("content-type")).isEqualTo("application/json; charset=UTF-8");
      assertThat(refused.text()).isEqualTo(REFUSAL);
      assertThat(wire.read().text()).isEqualTo("GET /next ");
      CompletedRequest log = rig.log();
      assertThat(log.status()).isEqualTo(429);
      assertThat(log.path()).isEqualTo("local");
      assertThat(log.action()).isEqualTo("test");
      assertThat(next(gate.ended).uri).isEqualTo("/r");
    }
  }

  @Test
  void letsAClientSendItsBodyOnlyOnceItIsIn() throws Exception {
    ScriptedHeaderFilter gate = gate();
    try (HttpServerFixture rig = echoing(gate).start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(
          RawHttpConnection.request(
              "POST", "/ww", "", "Expect: 100-continue", "Content-Length: 4"));
      assertThat(wire.read().statusLine()).isEqualTo("HTTP/1.1 100 Continue");
      assertThat(gate.seen.getFirst().asked).hasValue(3);
      wire.send("body");
      assertThat(wire.read().text()).isEqualTo("POST /ww body");
    }
  }

  @Test
  void tellsAClientAtOnceThatItsBodyIsNotWantedAndCloses() throws Exception {
    try (HttpServerFixture rig = echoing(gate()).start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(
          RawHttpConnection.request("POST", "/r", "", "Expect: 100-continue", "Content-Length: 4"));
      RawHttpConnection.Response refused = wire.read();
      assertThat(refused.text()).isEqualTo(REFUSAL);
      assertThat(refused.header("connection")).isEqualTo("close");
      wire.expectClosed();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void neverParseABodyThatComesWithItsRefusedHeadersAsARequest(boolean chunked) throws Exception {
    ScriptedHeaderFilter gate = gate();
    String body = RawHttpConnection.get("/smuggled");
    String framing = chunked ? "Transfer-Encoding: chunked" : "Content-Length: " + body.length();
    try (HttpServerFixture rig = echoing(gate).start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(
          RawHttpConnection.request("POST", "/r", "", "Expect: 100-continue", framing) + body);
      RawHttpConnection.Response refused = wire.read();
      assertThat(refused.text()).isEqualTo(REFUSAL);
      assertThat(refused.header("connection")).isEqualTo("close");
      wire.expectClosed();
      assertThat(gate.seen).extracting(visit -> visit.uri).containsExactly("/r");
    }
  }

  @Test
  void closesAfterALateRefusalAsTheBodyMayBeOnItsWay() throws Exception {
    try (HttpServerFixture rig = echoing(gate()).start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(
          RawHttpConnection.request(
              "POST", "/wr", "", "Expect: 100-continue", "Content-Length: 4"));
      RawHttpConnection.Response refused = wire.read();
      assertThat(refused.text()).isEqualTo(REFUSAL);
      assertThat(refused.header("connection")).isEqualTo("close");
      wire.expectClosed();
    }
  }

  @Test
  void neverParseADeclinedBodyAsARequest() throws Exception {
    ScriptedHeaderFilter gate = gate();
    HttpServerFixture.Setup setup = new HttpServerFixture.Setup();
    setup.gate = gate;
    String body = RawHttpConnection.get("/smuggled");
    try (HttpServerFixture rig = setup.start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(
          RawHttpConnection.get("/slow")
              + RawHttpConnection.request(
                  "POST", "/r", "", "Expect: 100-continue", "Content-Length: " + body.length()));
      HttpExchange slow = rig.take();
      while (!next(gate.asking).uri.equals("/r")) {
        // the previous response
      }
      wire.send(body); // sends the body without 100 Continue
      HttpServerFixture.onHome(slow, () -> slow.respond(HttpServerFixture.reply(200, "slow")));
      assertThat(wire.read().text()).isEqualTo("slow");
      RawHttpConnection.Response refused = wire.read();
      assertThat(refused.text()).isEqualTo(REFUSAL);
      assertThat(refused.header("connection")).isEqualTo("close");
      wire.expectClosed();
      assertThat(gate.seen).extracting(visit -> visit.uri).containsExactly("/slow", "/r");
    }
  }

  @Test
  void takesNothingForARequestAfterALateRefusalThatCloses() throws Exception {
    ScriptedHeaderFilter gate = gate();
    try (HttpServerFixture rig = echoing(gate).start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(
          RawHttpConnection.request("POST", "/wr", "", "Expect: 100-continue", "Content-Length: 4")
              + "body"
              + RawHttpConnection.get("/next"));
      RawHttpConnection.Response refused = wire.read();
      assertThat(refused.text()).isEqualTo(REFUSAL);
      assertThat(refused.header("connection")).isEqualTo("close");
      wire.expectClosed();
      assertThat(gate.seen).extracting(visit -> visit.uri).containsExactly("/wr");
    }
  }

  @Test
  void forgetsAClientThatGoesAwayWhileItWaits() throws Exception {
    ScriptedHeaderFilter gate = gate();
    try (HttpServerFixture rig = echoing(gate).start()) {
      for (String request :
          List.of(RawHttpConnection.get("/h"), RawHttpConnection.post("/h", "body"))) {
        RawHttpConnection wire = rig.connect();
        wire.send(request);
        next(gate.asking);
        wire.close();
        assertThat(next(gate.ended).asked).hasValue(1);
        assertThat(rig.log().status()).isEqualTo(499);
      }
    }
  }

  @Test
  void filterPassedThroughRequestsToo() throws Exception {
    ScriptedHeaderFilter gate = gate();
    try (ScriptedNode node = ScriptedNode.answering(200, "node's")) {
      HttpServerFixture.Setup setup = new HttpServerFixture.Setup().passThrough(node.address());
      setup.gate = gate;
      try (HttpServerFixture rig = setup.start();
          RawHttpConnection wire = rig.connect()) {
        wire.send(
            RawHttpConnection.post("/w", "x".repeat(100_000))
                + RawHttpConnection.post("/r", "y")
                + RawHttpConnection.get("/ww"));
        assertThat(wire.read().text()).isEqualTo("node's");
        assertThat(wire.read().text()).isEqualTo(REFUSAL);
        assertThat(wire.read().text()).isEqualTo("node's");
        assertThat(gate.seen).allMatch(visit -> visit.passedThrough);
        assertThat(gate.seen.getFirst().received).hasValue(100_000);
        assertThat(rig.log().path()).isEqualTo("passthrough");
        assertThat(rig.log().path()).isEqualTo("local");
      }
    }
  }

  @Test
  void rejectABodyWithoutMemoryBeforeItIsSent() throws Exception {
    HttpServerFixture.Setup setup = new HttpServerFixture.Setup();
    setup.budget = 4_000_000;
    try (HttpServerFixture rig = setup.start();
        RawHttpConnection first = rig.connect();
        RawHttpConnection second = rig.connect()) {
      first.send(RawHttpConnection.post("/first", "x".repeat(1_900_000)));
      var taken = rig.take();
      first.send(RawHttpConnection.request("POST", "/next", "", "Content-Length: 1000000"));
      second.send(
          RawHttpConnection.request(
              "POST", "/second", "", "Expect: 100-continue", "Content-Length: 1900000"));
      RawHttpConnection.Response refused = second.read();
      assertThat(refused.status()).isEqualTo(429);
      assertThat(refused.header("retry-after")).isEqualTo("1");
      assertThat(refused.text()).contains("circuit_breaking_exception", "\"bytes_limit\":4000000");
      assertThat(refused.header("connection")).isEqualTo("close");
      second.expectClosed();
      HttpServerFixture.onHome(taken, () -> taken.respond(HttpServerFixture.reply(200, "1")));
      assertThat(first.read().text()).isEqualTo("1");
    }
  }

  private static HttpRequest.Builder request(HttpServerFixture rig, String uri) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + rig.address.getPort() + uri));
  }

  private static CompletableFuture<HttpResponse<String>> send(
      HttpClient client, HttpRequest request) {
    return client.sendAsync(request, HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void doNotDelayOtherStreamsOfTheConnection() throws Exception {
    ScriptedHeaderFilter gate = gate();
    try (HttpServerFixture rig = echoing(gate).start();
        HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build()) {
      HttpRequest.BodyPublisher body = HttpRequest.BodyPublishers.ofString("body");
      // the first request is upgraded, and waits
      HttpResponse<String> first =
          HttpServerFixture.await(send(client, request(rig, "/ww").build()));
      assertThat(first.body()).isEqualTo("GET /ww ");
      CompletableFuture<HttpResponse<String>> held = send(client, request(rig, "/h").build());
      HttpRequest.BodyPublisher large = HttpRequest.BodyPublishers.ofString("l".repeat(3_000_000));
      assertThat(
              HttpServerFixture.await(send(client, request(rig, "/w").POST(large).build())).body())
          .hasSize(3_000_000 + "POST /w ".length());
      assertThat(
              HttpServerFixture.await(send(client, request(rig, "/wr").POST(body).build())).body())
          .isEqualTo(REFUSAL);
      assertThat(HttpServerFixture.await(send(client, request(rig, "/w").build())).body())
          .isEqualTo("GET /w ");
      assertThat(held).isNotDone();
      held.cancel(true);
      List<String> ended = new ArrayList<>();
      while (!ended.contains("/h")) {
        ended.add(next(gate.ended).uri);
      }
      assertThat(rig.server.openConnections()).isOne();
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void endEverySessionExactlyOnce(long seed) throws Exception {
    ScriptedHeaderFilter gate = gate();
    try (ScriptedNode node = ScriptedNode.answering(200, "ok")) {
      HttpServerFixture.Setup setup = echoing(gate);
      if (seed == 2) {
        setup.passThrough(node.address());
      }
      try (HttpServerFixture rig = setup.start()) {
        List<Thread> clients = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
          Random random = new Random(seed * 31 + i);
          clients.add(Thread.ofVirtual().start(() -> assault(rig, random)));
        }
        for (Thread client : clients) {
          client.join();
        }
      }
    }
    assertThat(gate.seen).isNotEmpty().allMatch(visit -> visit.over);
  }

  private static void assault(HttpServerFixture rig, Random random) {
    for (int round = 0; round < 30; round++) {
      try (RawHttpConnection wire = rig.connect()) {
        StringBuilder requests = new StringBuilder();
        int many = 1 + random.nextInt(3);
        for (int i = 0; i < many; i++) {
          String path = "/" + "w".repeat(random.nextInt(3)) + (random.nextInt(4) == 0 ? "r" : "");
          requests.append(
              RawHttpConnection.post(
                  path, "b".repeat(random.nextInt(3) * random.nextInt(200_000))));
        }
        if (random.nextInt(4) == 0) {
          wire.send(requests.substring(0, random.nextInt(requests.length())));
          if (random.nextBoolean()) {
            wire.reset();
          }
          continue;
        }
        String all = requests.toString();
        Thread sender = Thread.ofVirtual().start(() -> wire.sendQuietly(all));
        for (int i = 0; i < many; i++) {
          assertThat(wire.read().status()).isIn(200, 429);
        }
        sender.join();
      } catch (IOException e) {
        // the client disconnected
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  @Test
  void skipSessionsWhenEverythingIsAdmitted() throws Exception {
    HeaderFilter open =
        new HeaderFilter() {
          @Override
          public boolean admitsAll(RequestPolicy policy) {
            return true;
          }

          @Override
          public Session startSession(
              RequestHead head, RequestRouter.Decision way, RequestPolicy policy) {
            throw new AssertionError("got a visit (expected: none)");
          }
        };
    HttpServerFixture.Setup setup = HttpServerFixture.echoing();
    setup.gate = open;
    try (HttpServerFixture rig = setup.start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.get("/"));
      assertThat(wire.read().text()).isEqualTo("GET / ");
    }
  }
}
