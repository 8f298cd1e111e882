package dev.weir.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.http.connection.ConnectionCounts;
import dev.weir.http.intake.HeaderFilter;
import dev.weir.testkit.fixtures.RawHttpConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What HTTP/2 clients send before the gateway reads it is charged to the memory of bodies. */
class Http2MemoryTest {
  private static final String[] UPGRADE = {
    "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAAP__"
  };

  @Test
  void upgradeARequestWithoutBody() throws Exception {
    try (HttpServerFixture rig = HttpServerFixture.echoing().start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.get("/", UPGRADE));
      assertThat(rig.log().protocol()).isEqualTo("HTTP/2.0");
    }
  }

  @Test
  void keepARequestWithABodyOnTheOldProtocol() throws Exception {
    try (HttpServerFixture rig = HttpServerFixture.echoing().start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.post("/sized", "body", UPGRADE));
      assertThat(wire.read().text()).isEqualTo("POST /sized body");
      wire.send(
          RawHttpConnection.get("/chunked", "Transfer-Encoding: chunked", UPGRADE[0], UPGRADE[1])
              + "4\r\nbody\r\n0\r\n\r\n");
      assertThat(wire.read().text()).isEqualTo("GET /chunked body");
      assertThat(rig.log().protocol()).isEqualTo("HTTP/1.1");
    }
  }

  @Test
  void chargeTheBodyOfAnUpgradeRequest() throws Exception {
    try (HttpServerFixture rig = new HttpServerFixture.Setup().start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(
          RawHttpConnection.request(
                  "POST", "/", "", "Content-Length: 1000000", UPGRADE[0], UPGRADE[1])
              + "x".repeat(500_000));
      HttpServerFixture.await("a charged body", () -> rig.budget.used() >= 500_000);
    }
  }

  @Test
  void chargeWhatStreamsHaveNotRead() throws Exception {
    HttpServerFixture.Setup setup = HttpServerFixture.echoing();
    setup.gate = delaying("/wait");
    setup.budget = 8 << 20; // of which streams may hold a quarter unread
    List<RawHttp2Connection> wires = new ArrayList<>();
    try (HttpServerFixture rig = setup.start()) {
      for (int i = 0; i < 12; i++) {
        RawHttp2Connection wire = new RawHttp2Connection(rig.address);
        wires.add(wire);
        for (int stream = 1; stream <= 7; stream += 2) {
          wire.headers(stream, false, RawHttp2Connection.request("POST", "/wait"));
          sendBytes(wire, stream, 110_000);
        }
      }
      HttpServerFixture.await(
          "a stream that was reset",
          () -> rig.server.counts().count(ConnectionCounts.Reason.UNREAD_STREAM) > 0);
      assertThat(rig.budget.used()).isBetween(1L << 20, 2L << 20);
      assertThat(
              wires.getLast().await(frame -> frame.type() == RawHttp2Connection.RST_STREAM).error())
          .isEqualTo(RawHttp2Connection.ENHANCE_YOUR_CALM);

      wires.getFirst().headers(9, true, RawHttp2Connection.request("GET", "/now"));
      assertThat(wires.getFirst().awaitBody(9)).isEqualTo("GET /now ");
      for (RawHttp2Connection wire : wires) {
        wire.close();
      }
    }
  }

  @Test
  void releaseWhatAStreamReads() throws Exception {
    HttpServerFixture.Setup setup =
        new HttpServerFixture.Setup()
            .handler(exchange ->
                exchange.respond(
                    HttpServerFixture.reply(200, "got " + exchange.body().remaining())));
    setup.gate =
        ScriptedHeaderFilter.doing(_ ->
            List.of(
                new HeaderFilter.Delay(TimeUnit.MILLISECONDS.toNanos(200)),
                HeaderFilter.Admit.NOW));
    try (HttpServerFixture rig = setup.start();
        RawHttp2Connection wire = new RawHttp2Connection(rig.address)) {
      for (int stream = 1; stream < 20; stream += 2) { // ten times the stream's window
        wire.headers(stream, false, RawHttp2Connection.request("POST", "/"));
        sendBytes(wire, stream, 200_000);
        wire.send(RawHttp2Connection.DATA, RawHttp2Connection.END_STREAM, stream);
        assertThat(wire.awaitBody(stream)).isEqualTo("got 200000");
      }
    }
  }

  @Test
  void endAPausedStreamThatTheClientResets() throws Exception {
    HttpServerFixture.Setup setup = HttpServerFixture.echoing();
    setup.gate = delaying("/wait");
    try (HttpServerFixture rig = setup.start();
        RawHttp2Connection wire = new RawHttp2Connection(rig.address)) {
      wire.headers(1, false, RawHttp2Connection.request("POST", "/wait"));
      sendBytes(wire, 1, 80_000);
      wire.send(RawHttp2Connection.RST_STREAM, 0, 1, new byte[] {0, 0, 0, 8});
      assertThat(rig.log().status()).isEqualTo(499);
      wire.headers(3, true, RawHttp2Connection.request("GET", "/now"));
      assertThat(wire.awaitBody(3)).isEqualTo("GET /now ");
    }
  }

  private static ScriptedHeaderFilter delaying(String uri) {
    return ScriptedHeaderFilter.doing(head ->
        List.of(
            head.uri().equals(uri)
                ? new HeaderFilter.Delay(TimeUnit.HOURS.toNanos(1))
                : HeaderFilter.Admit.NOW));
  }

  private static void sendBytes(RawHttp2Connection wire, int stream, int bytes) throws Exception {
    for (int left = bytes; left > 0; left -= 16_000) {
      wire.send(RawHttp2Connection.DATA, 0, stream, new byte[Math.min(left, 16_000)]);
    }
  }
}
