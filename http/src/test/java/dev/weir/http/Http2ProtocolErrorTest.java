package dev.weir.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.http.RawHttp2Connection.Frame;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
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

  /** Sends a fault on stream 1, and checks that the stream is reset and the connection goes on. */
  private static void assertReset(int error, Fault fault) throws Exception {
    try (HttpServerFixture rig = HttpServerFixture.echoing().start();
        RawHttp2Connection wire = new RawHttp2Connection(rig.address)) {
      fault.send(wire);
      assertThat(wire.awaitReset(1).error()).isEqualTo(error);
      wire.headers(3, true, RawHttp2Connection.request("GET", "/after"));
      assertThat(wire.awaitBody(3)).isEqualTo("GET /after ");
    }
  }

  /** Sends a malformed request, which no handler gets. */
  private static void assertMalformed(byte[] block) throws Exception {
    for (boolean last : new boolean[] {true, false}) {
      assertReset(RawHttp2Connection.PROTOCOL_ERROR, wire -> wire.headers(1, last, block));
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
  void refuseAPathWithControlBytes(String path) throws Exception {
    assertMalformed(RawHttp2Connection.request("GET", path));
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
  void refuseARequestWithoutItsPseudoHeaders() throws Exception {
    String[] all = {":method", "GET", ":scheme", "http", ":path", "/"};
    for (int without = 0; without < all.length; without += 2) {
      List<String> some = new ArrayList<>(List.of(all));
      some.subList(without, without + 2).clear();
      assertMalformed(RawHttp2Connection.block(some.toArray(String[]::new)));
    }
  }

  @Test
  void refusePseudoHeadersInTrailers() throws Exception {
    for (String name : List.of(":method", ":path", ":status", ":unknown")) {
      assertReset(
          RawHttp2Connection.PROTOCOL_ERROR,
          wire -> {
            wire.headers(1, false, RawHttp2Connection.request("POST", "/"));
            wire.headers(1, true, RawHttp2Connection.block("a", "b", name, "GET"));
          });
    }
    assertReset(
        RawHttp2Connection.PROTOCOL_ERROR,
        wire -> {
          wire.headers(1, false, RawHttp2Connection.request("POST", "/"));
          wire.headers(1, true, RawHttp2Connection.request("POST", "/twice"));
        });
  }

  @Test
  void refuseFurtherHeadersThatDoNotEndTheStream() throws Exception {
    assertReset(
        RawHttp2Connection.PROTOCOL_ERROR,
        wire -> {
          wire.headers(1, false, RawHttp2Connection.request("POST", "/"));
          wire.headers(1, false, RawHttp2Connection.block("a", "b"));
        });
  }

  @Test
  void takeFurtherHeadersThatEndTheStreamForTrailers() throws Exception {
    try (HttpServerFixture rig = HttpServerFixture.echoing().start();
        RawHttp2Connection wire = new RawHttp2Connection(rig.address)) {
      wire.headers(1, false, RawHttp2Connection.request("POST", "/"));
      wire.send(RawHttp2Connection.DATA, 0, 1, (byte) 'x');
      wire.headers(1, true, RawHttp2Connection.block("a", "b"));
      assertThat(wire.awaitBody(1)).isEqualTo("POST / x");
    }
  }

  @Test
  void refuseABodyAfterTheEndOfTheStream() throws Exception {
    assertReset(
        RawHttp2Connection.STREAM_CLOSED,
        wire -> {
          wire.headers(1, true, RawHttp2Connection.request("POST", "/"));
          wire.send(RawHttp2Connection.DATA, RawHttp2Connection.END_STREAM, 1, (byte) 'x');
        });
  }

  @Test
  void refuseHeadersAfterTheEndOfTheStream() throws Exception {
    byte[] request = RawHttp2Connection.request("POST", "/");
    try (HttpServerFixture rig = new HttpServerFixture.Setup().start();
        RawHttp2Connection wire = new RawHttp2Connection(rig.address)) {
      wire.headers(1, true, request);
      rig.take();
      wire.headers(1, true, request);
      // RFC 9113 (5.1) asks for STREAM_CLOSED; Netty chooses the code.
      assertThat(wire.awaitReset(1).error()).isEqualTo(RawHttp2Connection.PROTOCOL_ERROR);
      wire.headers(3, true, RawHttp2Connection.request("GET", "/after"));
      assertThat(rig.take().uri()).isEqualTo("/after");
    }
  }

  @Test
  void refuseHeadersOfAClosedStreamAlone() throws Exception {
    try (HttpServerFixture rig = HttpServerFixture.echoing().start();
        RawHttp2Connection wire = new RawHttp2Connection(rig.address)) {
      byte[] request = RawHttp2Connection.request("GET", "/");
      for (int stream : new int[] {5, 3, 5}) { // skipping 1, and going back
        wire.headers(stream, true, request);
      }
      assertThat(wire.awaitReset(3).error()).isEqualTo(RawHttp2Connection.STREAM_CLOSED);
      wire.headers(7, true, RawHttp2Connection.request("GET", "/after"));
      assertThat(wire.awaitBody(7)).isEqualTo("GET /after ");
    }
  }

  @Test
  void refuseAWindowUpdateOfZeroForAStream() throws Exception {
    assertReset(
        RawHttp2Connection.PROTOCOL_ERROR,
        wire -> {
          wire.headers(1, false, RawHttp2Connection.request("POST", "/"));
          wire.send(RawHttp2Connection.WINDOW_UPDATE, 0, 1, new byte[4]);
        });
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
