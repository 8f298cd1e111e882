package dev.weir.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class GatewayCountsTest {
  private static final String STATS =
      """
      {"nodes": [{"name": "one", "sent_requests": 12, "sent_requests_failed": 5},
                 {"name": "two", "sent_requests" : 30}], "other": {"sent": 7}}
      """;

  @Test
  void addTheCountsOfAllNodes() {
    assertThat(GatewayCounts.sum(STATS, "sent_requests")).isEqualTo(42);
  }

  @Test
  void countNothingWithoutTheName() {
    assertThat(GatewayCounts.sum(STATS, "received_requests")).isZero();
    assertThat(GatewayCounts.sum(STATS, "sent.requests")).isZero();
  }
}
