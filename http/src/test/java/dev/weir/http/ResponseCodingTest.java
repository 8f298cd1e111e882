package dev.weir.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.http.options.HttpCompression;
import java.util.List;
import org.junit.jupiter.api.Test;

class ResponseCodingTest {
  @Test
  void encodesOnlyWhatIsLongEnough() throws Exception {
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
}
