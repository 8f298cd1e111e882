package dev.weir.bench.secured;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

final class RequestPathCountsTest {
  private static final String METRICS =
      """
      # TYPE weir_requests counter
      weir_requests_total{action="search",path="coordinated",reason="",status="200"} 7.0
      weir_requests_total{action="search",path="coordinated",reason="",status="404"} 2.0
      weir_requests_total{action="other",path="passthrough",reason="security",status="403"} 3.0
      weir_requests_in_flight 1.0
      """;

  @Test
  void countByPathActionStatusAndReason() {
    assertThat(RequestPathCounts.parse(METRICS).counts())
        .containsExactly(
            Map.entry("coordinated search 200", 7L),
            Map.entry("coordinated search 404", 2L),
            Map.entry("passthrough other 403 security", 3L));
  }

  @Test
  void countOnlyCoordinatedRequestsThatSucceeded() {
    assertThat(RequestPathCounts.parse(METRICS).coordinated("search")).isEqualTo(7);
    assertThat(RequestPathCounts.parse(METRICS).coordinated("bulk")).isZero();
  }

  @Test
  void leaveOutWhatWasCountedEarlier() {
    RequestPathCounts now =
        RequestPathCounts.parse(METRICS.replace("status=\"200\"} 7.0", "status=\"200\"} 9.0"));
    assertThat(now.since(RequestPathCounts.parse(METRICS)).counts())
        .containsExactly(Map.entry("coordinated search 200", 2L));
  }
}
