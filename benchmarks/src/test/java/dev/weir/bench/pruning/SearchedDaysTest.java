package dev.weir.bench.pruning;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class SearchedDaysTest {
  private final SearchedDays days = new SearchedDays(30, 4800);

  @Test
  void nameEachIndexByItsDay() {
    assertThat(SearchedDays.index(0)).isEqualTo("bench-day-2026.10.01");
    assertThat(SearchedDays.index(29)).isEqualTo("bench-day-2026.10.30");
  }

  @Test
  void keepAllTimesWithinTheDayOfTheIndex() {
    assertThat(days.time(1, 0)).isEqualTo(Instant.parse("2026-10-02T00:00:00Z"));
    assertThat(days.time(1, 2400)).isEqualTo(Instant.parse("2026-10-02T12:00:00Z"));
    assertThat(days.time(1, 4799)).isEqualTo(Instant.parse("2026-10-02T23:59:42Z"));
  }

  @Test
  void searchTheLastDayAlone() {
    assertThat(days.lastDaySearch()).contains("{\"gte\":\"2026-10-30T00:00:00Z\"}");
    assertThat(days.time(28, 4799)).isBefore(Instant.parse("2026-10-30T00:00:00Z"));
  }
}
