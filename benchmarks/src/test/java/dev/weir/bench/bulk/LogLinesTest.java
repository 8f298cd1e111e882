package dev.weir.bench.bulk;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LogLinesTest {
  private final LogLines lines = new LogLines(new Random(1), 20);

  private static String[] body(byte[] request) {
    String text = new String(request, StandardCharsets.US_ASCII);
    return text.substring(text.indexOf("\r\n\r\n") + 4).split("\n");
  }

  @Test
  void writesLinesOfAKilobyteWithoutIds() {
    String[] body = body(lines.request("logs"));
    assertThat(body).hasSize(40);
    for (int i = 0; i < lines.size(); i++) {
      assertThat(body[2 * i]).isEqualTo("{\"index\":{}}");
      assertThat(body[2 * i + 1].length()).isBetween(1000, 1050);
      assertThat(body[2 * i + 1]).contains(",\"number\":" + (1_000_000_000 + i) + ",");
    }
  }

  @Test
  void renumberLinesAndRegenerateThemByNumber() {
    String[] body = body(lines.request("logs", 12_345));
    for (int i = 0; i < lines.size(); i++) {
      assertThat(body[2 * i + 1])
          .isEqualTo(lines.document(i, 12_345 + i))
          .contains(",\"number\":" + (1_000_012_345 + i) + ",");
    }
    assertThat(LogLines.parseNumber(1_000_012_345)).isEqualTo(12_345);
  }
}
