package dev.weir.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class AnswerCodingTest {
  @Test
  void encodesOnlyWhatIsLongEnough() throws Exception {
    Rig.Setup setup =
        new Rig.Setup()
            .handler(exchange ->
                exchange.respond(
                    Rig.reply(200, "x".repeat(Integer.parseInt(exchange.uri().substring(1))))));
    try (Rig rig = setup.compression(new HttpCompression(true, 9, true, 1, 500)).start();
        Wire wire = rig.connect()) {
      for (String coding : List.of("gzip", "zstd", "deflate")) {
        wire.send(Wire.get("/499", "Accept-Encoding: " + coding));
        Wire.Response plain = wire.read();
        assertThat(plain.header("content-encoding")).isEmpty();
        assertThat(plain.text()).isEqualTo("x".repeat(499));
        wire.send(Wire.get("/500", "Accept-Encoding: " + coding));
        Wire.Response coded = wire.read();
        assertThat(coded.header("content-encoding")).isEqualTo(coding);
        assertThat(coded.body().length).isLessThan(100);
      }
    }
  }
}
