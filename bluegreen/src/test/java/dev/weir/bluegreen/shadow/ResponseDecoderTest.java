package dev.weir.bluegreen.shadow;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

final class ResponseDecoderTest {
  @Test
  void reportAResponseThatDecodesBeyondTheLimitAsTooLong() throws IOException {
    ByteArrayOutputStream coded = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(coded)) {
      out.write(new byte[1000]);
    }
    CapturedResponse answer =
        new CapturedResponse(200, "application/json", "gzip", coded.toByteArray(), 1);
    assertThat(ResponseDecoder.decode(answer, 1000).body()).hasSize(1000);
    assertThat(ResponseDecoder.decode(answer, 999).body()).isNull();
    assertThat(ResponseDecoder.decode(answer, 999).status()).isEqualTo(200);
  }
}
