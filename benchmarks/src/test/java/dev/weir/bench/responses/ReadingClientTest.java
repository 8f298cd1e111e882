package dev.weir.bench.responses;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ReadingClientTest {
  @Test
  void averageTheCostOverAllResponses() {
    ReadingClient.Cost cost =
        ReadingClient.Cost.NONE
            .plus(new ReadingClient.Cost(3, 9_000_000, 6 * 1024))
            .plus(new ReadingClient.Cost(1, 1_000_000, 10 * 1024));
    assertThat(cost.cpuMillis()).isEqualTo(2.5);
    assertThat(cost.allocatedKilobytes()).isEqualTo(4);
  }

  @Test
  void haveNoFigureWithoutAResponse() {
    assertThat(ReadingClient.Cost.NONE.cpuMillis()).isNaN();
  }

  @Test
  void countTheHits() {
    assertThat(ReadingClient.hits("{\"hits\":{\"hits\":[{\"_id\":\"a\"},{\"_id\":\"b\"}]}}"))
        .isEqualTo(2);
    assertThat(ReadingClient.hits("{\"took\":1}")).isNegative();
  }
}
