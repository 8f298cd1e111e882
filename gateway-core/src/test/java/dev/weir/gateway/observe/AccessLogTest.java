package dev.weir.gateway.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.RequestLog;
import org.junit.jupiter.api.Test;

final class AccessLogTest {
  private static RequestLog request(String uri, String reason, String opaqueId) {
    return new RequestLog(
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
        1042);
  }

  @Test
  void saysWhatWasAskedAndWhereItWent() {
    assertThat(AccessLog.line(request("/_cat/nodes", "not-coordinated", "app-7")))
        .isEqualTo(
            "10.0.0.9:5 \"GET /_cat/nodes HTTP/1.1\" 200 10 20 3000us passthrough/other"
                + " reason=not-coordinated id=1042 opaque-id=app-7");
  }

  @Test
  void aClientCanNotForgeALine() {
    assertThat(AccessLog.line(request("/a\n\"b", "", "x\r\ny")))
        .contains("/a??b")
        .endsWith("opaque-id=x??y")
        .doesNotContain("\n");
  }
}
