package dev.weir.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class InFlightStatsTest {
  private static final String STATS =
      """
      {"other": {"requests": 7},
       "in_flight": {"by_action": {"search": 1}, "requests": 2, "connections": 3, "name": "x"}}
      """;

  @Test
  void readTheCountsOfTheSection() {
    assertThat(InFlightStats.read(STATS))
        .containsOnlyKeys("requests", "connections")
        .containsEntry("requests", 2.0);
    assertThat(InFlightStats.count(STATS, "connections")).isEqualTo(3);
  }

  @Test
  void haveNoCountWithoutTheSection() {
    assertThat(InFlightStats.read("{\"other\": {\"requests\": 7}}")).isEmpty();
    assertThat(InFlightStats.count("{}", "requests")).isNaN();
    assertThat(InFlightStats.count("", "requests")).isNaN();
    assertThat(InFlightStats.count(STATS, "request_memory_bytes")).isNaN();
  }
}
