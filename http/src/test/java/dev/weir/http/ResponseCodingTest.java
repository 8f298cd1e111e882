package dev.weir.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.http.options.HttpCompression;
import dev.weir.model.BufferedResponse;
import dev.weir.testkit.fixtures.RawHttpConnection;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;

class ResponseCodingTest {
  @Test
  void encodeOnlyLongEnoughResponses() throws Exception {
    HttpServerFixture.Setup setup =
        new HttpServerFixture.Setup()
            .handler(exchange ->
                exchange.respond(
                    HttpServerFixture.reply(
                        200, "x".repeat(Integer.parseInt(exchange.uri().substring(1))))));
    try (HttpServerFixture rig =
            setup.compression(new HttpCompression(true, 9, true, 1, 500)).start();
        RawHttpConnection wire = rig.connect()) {
      for (String coding : List.of("gzip", "zstd", "deflate")) {
        wire.send(RawHttpConnection.get("/499", "Accept-Encoding: " + coding));
        RawHttpConnection.Response plain = wire.read();
        assertThat(plain.header("content-encoding")).isEmpty();
        assertThat(plain.text()).isEqualTo("x".repeat(499));
        wire.send(RawHttpConnection.get("/500", "Accept-Encoding: " + coding));
        RawHttpConnection.Response coded = wire.read();
        assertThat(coded.header("content-encoding")).isEqualTo(coding);
        assertThat(coded.body().length).isLessThan(100);
      }
    }
  }

  @Test
  void encodeResponseAsClientAccepts() throws Exception {
    String text = "lorem ipsum ".repeat(1000);
    try (HttpServerFixture rig =
            new HttpServerFixture.Setup()
                .handler(exchange -> exchange.respond(HttpServerFixture.reply(200, text)))
                .start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.get("/", "Accept-Encoding: gzip"));
      RawHttpConnection.Response gzip = wire.read();
      assertThat(gzip.header("content-encoding")).isEqualTo("gzip");
      assertThat(gzip.header("content-length")).isEqualTo(Integer.toString(gzip.body().length));
      assertThat(gunzip(gzip.body())).isEqualTo(text);
      assertThat(rig.log().responseBytes()).isEqualTo(gzip.body().length);

      wire.send(RawHttpConnection.get("/", "Accept-Encoding: identity"));
      assertThat(wire.read().text()).isEqualTo(text);
      wire.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\nAccept-Encoding: gzip\r\n\r\n");
      assertThat(wire.read().text()).isEqualTo(text);
    }
  }

  @Test
  void leaveEncodedResponseUnchanged() throws Exception {
    try (HttpServerFixture rig =
            new HttpServerFixture.Setup()
                .handler(exchange ->
                    exchange.respond(
                        new BufferedResponse(
                            200,
                            "text/plain",
                            List.of(Map.entry("Content-Encoding", "br")),
                            List.of(ByteBuffer.wrap(new byte[] {1, 2, 3})),
                            () -> {})))
                .start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.get("/", "Accept-Encoding: gzip"));
      RawHttpConnection.Response response = wire.read();
      assertThat(response.header("content-encoding")).isEqualTo("br");
      assertThat(response.body()).containsExactly(1, 2, 3);
    }
  }

  @Test
  void streamLongEncodedResponseInChunks() throws Exception {
    byte[] body = new byte[5_000_000];
    Random random = new Random(3);
    for (int i = 0; i < body.length; i++) {
      body[i] = (byte) ('a' + random.nextInt(16));
    }
    List<ByteBuffer> slices = new ArrayList<>();
    for (int from = 0; from < body.length; ) {
      int to = Math.min(body.length, from + 1 + random.nextInt(40_000));
      slices.add(ByteBuffer.wrap(body, from, to - from));
      from = to;
    }
    try (HttpServerFixture rig =
            new HttpServerFixture.Setup()
                .handler(exchange ->
                    exchange.respond(
                        new BufferedResponse(200, "text/plain", List.of(), slices, () -> {})))
                .start();
        RawHttpConnection wire = rig.connect()) {
      for (String coding : List.of("gzip", "deflate", "zstd")) {
        wire.send(RawHttpConnection.get("/", "Accept-Encoding: " + coding));
        RawHttpConnection.Response response = wire.read();
        assertThat(response.header("content-encoding")).isEqualTo(coding);
        assertThat(response.header("transfer-encoding")).isEqualTo("chunked");
        assertThat(response.header("content-length")).isEmpty();
        if (coding.equals("gzip")) {
          assertThat(gunzip(response.body()).getBytes(StandardCharsets.ISO_8859_1)).isEqualTo(body);
        }
        assertThat(response.body().length).isLessThan(body.length);
      }
      wire.send(RawHttpConnection.get("/"));
      assertThat(wire.read().body()).isEqualTo(body);
    }
  }

  private static String gunzip(byte[] bytes) throws IOException {
    return new String(
        new GZIPInputStream(new ByteArrayInputStream(bytes)).readAllBytes(),
        StandardCharsets.ISO_8859_1);
  }
}
