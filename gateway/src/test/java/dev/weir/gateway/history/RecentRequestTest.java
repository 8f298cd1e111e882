package dev.weir.gateway.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.CompletedRequest;
import org.junit.jupiter.api.Test;

class RecentRequestTest {
  private static CompletedRequest log(
      String method, String uri, String protocol, String opaqueId, String traceParent) {
    return new CompletedRequest(
        5_000,
        "192.0.2.1",
        method,
        uri,
        protocol,
        "coordinated",
        "search",
        "",
        200,
        10,
        20,
        3_000_000,
        opaqueId,
        7,
        "main",
        "team",
        traceParent);
  }

  private static final CompletedRequest SHORT = log("GET", "/logs/_search", "HTTP/1.1", "mine", "");

  @Test
  void describeTheRequest() {
    assertThat(RecentRequest.of(SHORT).toMap(true))
        .containsEntry("ended_at", "1970-01-01T00:00:05.003Z")
        .containsEntry("request_line", "GET /logs/_search")
        .containsEntry("opaque_id", "mine")
        .containsEntry("explanation", "routing/explain?request=7");
  }

  @Test
  void keepNoLongText() {
    String text = "x".repeat(5_000);

    CompletedRequest kept = RecentRequest.of(log(text, text, text, text, text)).request();

    assertThat(kept.method()).hasSize(16);
    assertThat(kept.uri()).hasSize(512);
    assertThat(kept.protocol()).hasSize(16);
    assertThat(kept.opaqueId()).hasSize(128);
    assertThat(kept.traceParent()).isEmpty();
  }

  @Test
  void keepEachTextOnItsOwnShort() {
    String text = "x".repeat(600);

    assertThat(RecentRequest.of(log(text, "/", "", "", "")).request().method()).hasSize(16);
    assertThat(RecentRequest.of(log("GET", text, "", "", "")).request().uri()).hasSize(512);
    assertThat(RecentRequest.of(log("GET", "/", text, "", "")).request().protocol()).hasSize(16);
    assertThat(RecentRequest.of(log("GET", "/", "", text, "")).request().opaqueId()).hasSize(128);
    assertThat(RecentRequest.of(log("GET", "/", "", "", text)).request().traceParent()).isEmpty();
  }

  @Test
  void describeACutRequestLikeAWholeOne() {
    CompletedRequest traced = log("GET", "/logs/_search", "HTTP/1.1", "mine", "00-a-b-01");

    assertThat(RecentRequest.of(traced).toMap(false))
        .isEqualTo(RecentRequest.of(SHORT).toMap(false));
  }
}
