package dev.weir.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.http.RawHttp2Connection.Frame;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that break the rules of RFC 9113 get the error that it asks for, not a reset. */
class Http2ProtocolErrorTest {
  private interface Fault {
    void send(RawHttp2Connection wire) throws IOException;
  }

  /** Sends a fault that ends the connection. */
  private static Frame goAwayAfter(Fault fault) throws Exception {
    try (HttpServerFixture rig = HttpServerFixture.echoing().start();
        RawHttp2Connection wire = new RawHttp2Connection(rig.address)) {
      fault.send(wire);
      Frame goAway = wire.awaitGoAway();
      wire.awaitClose();
      assertThat(rig.taken).isEmpty();
      return goAway;
    }
  }

  /** Sends a request that ends its stream, and checks that the connection goes on. */
  private static void assertMalformed(byte[] block) throws Exception {
    try (HttpServerFixture rig = HttpServerFixture.echoing().start();
        RawHttp2Connection wire = new RawHttp2Connection(rig.address)) {
      wire.headers(1, true, block);
      Frame answer =
          wire.await(frame -> frame.type() == RawHttp2Connection.RST_STREAM || frame.is(1, 1));
      if (answer.type() == RawHttp2Connection.RST_STREAM) {
        assertThat(answer.error()).isEqualTo(RawHttp2Connection.PROTOCOL_ERROR);
      }
      wire.headers(3, true, RawHttp2Connection.request("GET", "/after"));
      assertThat(wire.awaitBody(3)).isEqualTo("GET /after ");
    }
  }

  @Test
  void goAwayAfterDataOnTheConnection() throws Exception {
    assertThat(goAwayAfter(wire -> wire.send(RawHttp2Connection.DATA, 0, 0, (byte) 1)).error())
        .isEqualTo(RawHttp2Connection.PROTOCOL_ERROR);
  }

  @Test
  void goAwayAfterHeadersWithAnEvenStream() throws Exception {
    byte[] block = RawHttp2Connection.request("GET", "/");
    assertThat(goAwayAfter(wire -> wire.headers(2, true, block)).error())
        .isEqualTo(RawHttp2Connection.PROTOCOL_ERROR);
  }

  @Test
  void goAwayAfterAContinuationOfNothing() throws Exception {
    byte[] block = RawHttp2Connection.request("GET", "/");
    Frame goAway =
        goAwayAfter(wire ->
            wire.send(RawHttp2Connection.CONTINUATION, RawHttp2Connection.END_HEADERS, 1, block));
    assertThat(goAway.error()).isEqualTo(RawHttp2Connection.PROTOCOL_ERROR);
  }

  @Test
  void goAwayAfterAShortPing() throws Exception {
    assertThat(goAwayAfter(wire -> wire.send(RawHttp2Connection.PING, 0, 0, (byte) 1)).error())
        .isEqualTo(6); // FRAME_SIZE_ERROR
  }

  @Test
  void goAwayAfterAWindowUpdateOfZero() throws Exception {
    assertThat(
            goAwayAfter(wire -> wire.send(RawHttp2Connection.WINDOW_UPDATE, 0, 0, new byte[4]))
                .error())
        .isEqualTo(RawHttp2Connection.PROTOCOL_ERROR);
  }

  @Test
  void goAwayAfterHeadersThatCannotBeDecoded() throws Exception {
    byte[] block = {(byte) 0xff, (byte) 0xff, (byte) 0xff, (byte) 0xff, (byte) 0xff, 0x7f};
    assertThat(goAwayAfter(wire -> wire.headers(1, true, block)).error())
        .isEqualTo(9); // COMPRESSION_ERROR
  }

  @Test
  void goAwayWhileTheClientGoesOnSending() throws Exception {
    Frame goAway =
        goAwayAfter(wire -> {
          wire.send(RawHttp2Connection.DATA, 0, 0, (byte) 1);
          for (int i = 0; i < 20; i++) {
            wire.send(RawHttp2Connection.PING, 0, 0, new byte[8]);
          }
        });
    assertThat(goAway.error()).isEqualTo(RawHttp2Connection.PROTOCOL_ERROR);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/a\r\nx: y", "/a b", "/a\u0000", "/a\u007f"})
  void neverServeAPathWithControlBytes(String path) throws Exception {
    try (HttpServerFixture rig = new HttpServerFixture.Setup().start();
        RawHttp2Connection wire = new RawHttp2Connection(rig.address)) {
      wire.headers(1, true, RawHttp2Connection.request("GET", path));
      wire.headers(3, true, RawHttp2Connection.request("GET", "/after"));
      assertThat(rig.take().uri()).isEqualTo("/after");
      assertThat(rig.taken).isEmpty();
    }
  }

  @Test
  void refuseHeadersOfTheConnection() throws Exception {
    assertMalformed(RawHttp2Connection.request("GET", "/", "connection", "close"));
    assertMalformed(RawHttp2Connection.request("GET", "/", "transfer-encoding", "chunked"));
    assertMalformed(RawHttp2Connection.request("GET", "/", "te", "gzip"));
    assertMalformed(RawHttp2Connection.request("GET", "/", "Upper", "case"));
  }

  @Test
  void refuseMisplacedPseudoHeaders() throws Exception {
    assertMalformed(RawHttp2Connection.request("GET", "/", ":path", "/twice"));
    assertMalformed(RawHttp2Connection.request("GET", "/", "a", "b", ":scheme", "http"));
    assertMalformed(RawHttp2Connection.request("GET", "/", ":unknown", "x"));
  }

  @Test
  void refuseABodyThatContradictsItsLength() throws Exception {
    try (HttpServerFixture rig = HttpServerFixture.echoing().start();
        RawHttp2Connection wire = new RawHttp2Connection(rig.address)) {
      wire.headers(1, false, RawHttp2Connection.request("POST", "/", "content-length", "3"));
      wire.send(RawHttp2Connection.DATA, RawHttp2Connection.END_STREAM, 1, (byte) 'x');
      assertThat(wire.awaitReset(1).error()).isEqualTo(RawHttp2Connection.PROTOCOL_ERROR);
      wire.headers(3, true, RawHttp2Connection.request("GET", "/after"));
      assertThat(wire.awaitBody(3)).isEqualTo("GET /after ");
    }
  }
}
