package dev.weir.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.CompletedRequest;
import org.junit.jupiter.api.Test;

final class AccessLogWriterTest {
  private static final String PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

  private static CompletedRequest request(String uri, String reason, String opaqueId) {
    return request(uri, reason, opaqueId, "");
  }

  private static CompletedRequest request(
      String uri, String reason, String opaqueId, String traceParent) {
    return new CompletedRequest(
        0,
        "10.0.0.9:5",
        "GET",
        uri,
        "HTTP/1.1",
        "passthrough",
        "other",
        reason,
        200,
        10,
        20,
        3_000_000,
        opaqueId,
        1042,
        "blue",
        "_default",
        traceParent);
  }

  @Test
  void logTheRequestAndItsPath() {
    assertThat(AccessLogWriter.line(request("/_cat/nodes", "not-coordinated", "app-7")))
        .isEqualTo(
            "10.0.0.9:5 \"GET /_cat/nodes HTTP/1.1\" 200 10 20 3000us passthrough/other"
                + " reason=not-coordinated cluster=blue request-id=1042 opaque-id=app-7");
  }

  @Test
  void tellsTheTrace() {
    assertThat(AccessLogWriter.line(request("/a", "", "", PARENT)))
        .endsWith(
            " request-id=1042 trace-id=4bf92f3577b34da6a3ce929d0e0e4736 span-id=00f067aa0ba902b7");
    assertThat(AccessLogWriter.line(request("/a", "", "", PARENT + "0")))
        .endsWith(" request-id=1042");
  }

  @Test
  void preventForgedLines() {
    assertThat(AccessLogWriter.line(request("/a\n\"b", "", "x\r\ny")))
        .contains("/a??b")
        .endsWith("opaque-id=x??y")
        .doesNotContain("\n");
  }
}
