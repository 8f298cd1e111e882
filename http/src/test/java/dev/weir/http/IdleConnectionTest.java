package dev.weir.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.http.connection.ConnectionCounts.Reason;
import dev.weir.http.options.ClientLimits;
import dev.weir.http.options.HttpLimits;
import dev.weir.http.options.HttpTimeouts;
import dev.weir.model.HttpExchange;
import dev.weir.testkit.fixtures.RawHttpConnection;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Connections that serve no request give way to those that do. */
class IdleConnectionTest {
  private static final String OTHER_CLIENT = "127.0.0.2";

  /** How far the server's clock is ahead of the machine's, in nanoseconds. */
  private final AtomicLong skewNanos = new AtomicLong();

  private HttpServerFixture.Setup echoing(int maxConnections, double maxAddressRatio) {
    return withClock(HttpServerFixture.echoing(), maxConnections, maxAddressRatio);
  }

  private HttpServerFixture.Setup withClock(
      HttpServerFixture.Setup setup, int maxConnections, double maxAddressRatio) {
    setup.nanoClock = () -> System.nanoTime() + skewNanos.get();
    return setup
        .limits(new HttpLimits(4096, 16384, 1 << 20, 128, maxConnections))
        .clients(ClientLimits.standard().withMaxAddressRatio(maxAddressRatio));
  }

  private void advance(Duration by) {
    skewNanos.addAndGet(by.toNanos());
  }

  private static RawHttpConnection used(RawHttpConnection wire) throws IOException {
    wire.send(RawHttpConnection.get("/"));
    assertThat(wire.read().text()).isEqualTo("GET / ");
    return wire;
  }

  @Test
  void closeTheLongestIdleForANewClient() throws Exception {
    try (HttpServerFixture rig = echoing(4, 1).start();
        // Connections go to the two event loops in turn.
        RawHttpConnection oldest = used(rig.connect());
        RawHttpConnection otherLoop = used(rig.connect())) {
      advance(Duration.ofSeconds(2));
      try (RawHttpConnection newer = used(rig.connect());
          RawHttpConnection newest = used(rig.connect())) {
        advance(Duration.ofSeconds(2));
        try (RawHttpConnection client = used(rig.connectFrom(OTHER_CLIENT))) {
          oldest.expectClosed();
          used(otherLoop);
          used(newer);
          used(newest);
          used(client);
          assertThat(rig.server.counts().count(Reason.IDLE)).isOne();
        }
      }
    }
  }

  @Test
  void closeAConnectionWhoseNextHeadersAreSlow() throws Exception {
    try (HttpServerFixture rig = echoing(2, 1).start();
        RawHttpConnection slow = used(rig.connect());
        RawHttpConnection otherLoop = used(rig.connect())) {
      slow.send("GET /never HTTP/1.1\r\nHo");
      otherLoop.send("GET /never HTTP/1.1\r\nHo");
      HttpServerFixture.await(
          "an answer to a new client",
          () -> {
            advance(Duration.ofSeconds(2));
            try (RawHttpConnection client = rig.connectFrom(OTHER_CLIENT)) {
              client.send(RawHttpConnection.get("/"));
              return client.read().text().equals("GET / ");
            } catch (IOException refused) {
              return false;
            }
          });
    }
  }

  @Test
  void keepConnectionsOfClientsThatHaveFewer() throws Exception {
    try (HttpServerFixture rig = echoing(4, 1).start();
        RawHttpConnection few = used(rig.connectFrom(OTHER_CLIENT))) {
      List<RawHttpConnection> many = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        many.add(used(rig.connect()));
      }
      advance(Duration.ofMinutes(1));
      for (int i = 0; i < 4; i++) { // takes the places of its own connections only
        try (RawHttpConnection more = rig.connect()) {
          more.send(RawHttpConnection.get("/"));
          more.read();
        } catch (IOException refused) {
          // its own event loop had none of its connections
        }
        advance(Duration.ofMinutes(1));
      }
      used(few);
      for (RawHttpConnection wire : many) {
        wire.close();
      }
    }
  }

  @Test
  void leaveAPartOfAllConnectionsToOtherClients() throws Exception {
    HttpServerFixture.Setup setup = withClock(new HttpServerFixture.Setup(), 8, 0.75);
    try (HttpServerFixture rig = setup.start()) {
      List<RawHttpConnection> busy = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        RawHttpConnection wire = rig.connect();
        wire.send(RawHttpConnection.get("/" + i));
        busy.add(wire);
        rig.take();
      }
      advance(Duration.ofMinutes(1));
      try (RawHttpConnection seventh = rig.connect()) {
        RawHttpConnection.Response refused = seventh.read();
        assertThat(refused.status()).isEqualTo(503);
        assertThat(refused.text())
            .contains(
                "got too many connections of this client (expected: at most 6 of 8)",
                "raise http.max-address-ratio");
      }
      assertThat(rig.server.counts().count(Reason.ADDRESS_SHARE)).isOne();
      try (RawHttpConnection other = rig.connectFrom(OTHER_CLIENT)) {
        other.send(RawHttpConnection.get("/other"));
        HttpExchange exchange = rig.take();
        HttpServerFixture.onHome(
            exchange, () -> exchange.respond(HttpServerFixture.reply(200, "served")));
        assertThat(other.read().text()).isEqualTo("served");
      }
      for (RawHttpConnection wire : busy) {
        wire.close();
      }
    }
  }

  @Test
  void nameTheLimitOfAFullServer() throws Exception {
    HttpServerFixture.Setup setup = withClock(new HttpServerFixture.Setup(), 1, 1);
    try (HttpServerFixture rig = setup.start();
        RawHttpConnection busy = rig.connect()) {
      busy.send(RawHttpConnection.get("/"));
      rig.take();
      try (RawHttpConnection other = rig.connectFrom(OTHER_CLIENT)) {
        assertThat(other.read().text())
            .contains(
                "got too many connections (expected: at most 1)", "raise http.max-connections");
      }
      assertThat(rig.server.counts().count(Reason.FULL)).isOne();
    }
  }

  @Test
  void closeAPrefaceWithoutRequestForANewClient() throws Exception {
    try (HttpServerFixture rig = echoing(2, 1).start();
        RawHttp2Connection bare = new RawHttp2Connection(rig.address);
        RawHttp2Connection otherLoop = new RawHttp2Connection(rig.address)) {
      advance(Duration.ofSeconds(2));
      used(rig.connectFrom(OTHER_CLIENT)).close();
      bare.awaitClose();
      assertThat(rig.server.counts().count(Reason.NO_REQUEST)).isOne();
      otherLoop.headers(1, true, RawHttp2Connection.request("GET", "/"));
      assertThat(otherLoop.awaitBody(1)).isEqualTo("GET / ");
    }
  }

  @Test
  void sayGoodbyeToAPrefaceWithoutRequest() throws Exception {
    Duration head = Duration.ofSeconds(60);
    Duration hour = Duration.ofHours(1);
    HttpServerFixture.Setup setup =
        echoing(10, 1).timeouts(new HttpTimeouts(head, hour, hour, hour));
    try (HttpServerFixture rig = setup.start();
        RawHttp2Connection bare = new RawHttp2Connection(rig.address);
        RawHttp2Connection used = new RawHttp2Connection(rig.address)) {
      used.headers(1, true, RawHttp2Connection.request("GET", "/"));
      assertThat(used.awaitBody(1)).isEqualTo("GET / ");
      advance(Duration.ofSeconds(61));
      assertThat(bare.awaitGoAway().error()).isZero();
      assertThat(rig.server.counts().count(Reason.HTTP2_WITHOUT_REQUEST)).isOne();
      used.headers(3, true, RawHttp2Connection.request("GET", "/"));
      assertThat(used.awaitBody(3)).isEqualTo("GET / ");
    }
  }

  @Test
  void sayGoodbyeToAnIdleSessionThatPings() throws Exception {
    try (HttpServerFixture rig = echoing(10, 1).start();
        RawHttp2Connection wire = new RawHttp2Connection(rig.address)) {
      wire.headers(1, true, RawHttp2Connection.request("GET", "/"));
      assertThat(wire.awaitBody(1)).isEqualTo("GET / ");
      HttpServerFixture.await(
          "the end of the request",
          () -> {
            advance(Duration.ofMinutes(30));
            try {
              wire.send(RawHttp2Connection.PING, 0, 0, new byte[8]);
              return wire.await(frame ->
                      frame.type() == RawHttp2Connection.PING
                          || frame.type() == RawHttp2Connection.GOAWAY)
                      .type()
                  == RawHttp2Connection.GOAWAY;
            } catch (IOException e) {
              throw new AssertionError("got no GOAWAY", e);
            }
          });
    }
  }

  @Test
  void sayGoodbyeToAFloodOfControlFrames() throws Exception {
    try (HttpServerFixture rig = echoing(10, 1).start();
        RawHttp2Connection pings = new RawHttp2Connection(rig.address);
        RawHttp2Connection settings = new RawHttp2Connection(rig.address)) {
      flood(pings, RawHttp2Connection.PING, new byte[8]);
      flood(settings, RawHttp2Connection.SETTINGS, new byte[0]);
      assertThat(rig.server.counts().count(Reason.CONTROL_FRAMES)).isEqualTo(2);
    }
  }

  private static void flood(RawHttp2Connection wire, int type, byte[] payload) throws Exception {
    Thread sender =
        Thread.ofVirtual()
            .start(() -> {
              try {
                for (int i = 0; i < 1100; i++) {
                  wire.send(type, 0, 0, payload);
                }
              } catch (IOException closed) {
                // the server has closed the connection
              }
            });
    assertThat(wire.awaitGoAway().error()).isEqualTo(RawHttp2Connection.ENHANCE_YOUR_CALM);
    sender.join();
  }

  @Test
  void sayGoodbyeToAFloodOfResets() throws Exception {
    try (HttpServerFixture rig = echoing(10, 1).start();
        RawHttp2Connection wire = new RawHttp2Connection(rig.address)) {
      byte[] request = RawHttp2Connection.request("GET", "/");
      Thread sender =
          Thread.ofVirtual()
              .start(() -> {
                try {
                  for (int stream = 1; stream < 500; stream += 2) {
                    wire.headers(stream, true, request);
                    wire.send(RawHttp2Connection.RST_STREAM, 0, stream, new byte[] {0, 0, 0, 8});
                  }
                } catch (IOException closed) {
                  // the server has closed the connection
                }
              });
      assertThat(wire.awaitGoAway().error()).isEqualTo(RawHttp2Connection.ENHANCE_YOUR_CALM);
      sender.join(TimeUnit.SECONDS.toMillis(HttpServerFixture.PATIENCE_SECONDS));
    }
  }
}
