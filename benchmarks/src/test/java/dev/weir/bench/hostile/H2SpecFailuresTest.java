package dev.weir.bench.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class H2SpecFailuresTest {
  private static final String OUTPUT =
      """
      Hypertext Transfer Protocol Version 2 (HTTP/2)
        3. Starting HTTP/2
          3.5. HTTP/2 Connection Preface
            \u00d7 2: Sends invalid connection preface

      Failures:

      Hypertext Transfer Protocol Version 2 (HTTP/2)
        5. Streams and Multiplexing
          5.1. Stream States
            \u00d7 12: closed: Sends a HEADERS frame
              -> The endpoint MUST treat this as a connection error of type STREAM_CLOSED.
                 Expected: GOAWAY Frame (Error Code: STREAM_CLOSED)
                           Connection closed
                   Actual: RST_STREAM Frame (length:4, flags:0x00, stream_id:1)

            5.1.1. Stream Identifiers
              \u00d7 2: Sends stream identifier that is numerically smaller than previous

      HPACK: Header Compression for HTTP/2
        2. Compression Process Overview
          2.3.3. Index Address Space
            \u00d7 1: Sends a indexed header field representation with invalid index

      Finished in 58.7277 seconds
      145 tests, 142 passed, 0 skipped, 3 failed
      """;

  @Test
  void nameFailedTestsBySectionAndNumber() {
    assertThat(H2SpecFailures.parse(OUTPUT))
        .containsExactly("http2/5.1/12", "http2/5.1.1/2", "hpack/2.3.3/1");
    assertThat(H2SpecFailures.parse("145 tests, 145 passed, 0 skipped, 0 failed")).isEmpty();
  }

  @Test
  void judgeOnlyTestsThatTheGatewayShouldPass() {
    List<String> failed = H2SpecFailures.parse(OUTPUT);
    assertThat(H2SpecFailures.unexpected(failed)).containsExactly("hpack/2.3.3/1");
    assertThat(H2SpecFailures.reason("http2/5.1/12")).contains("reset");
    assertThat(H2SpecFailures.reason("hpack/2.3.3/1")).isEqualTo("not expected");
  }
}
