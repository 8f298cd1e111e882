package dev.weir.bench.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The rules of Prequal's probe pool. */
final class ProbePoolTest {
  private static final long MILLI = 1_000_000;
  private static final long SECOND = 1000 * MILLI;

  private final ProbePool pool = new ProbePool();

  /** Makes loads of 1 to 10 usual, so that 10 and more are hot. */
  private void seeUsualLoads() {
    for (int load = 1; load <= 100; load++) {
      pool.add(50, 1 + load % 10, MILLI, 0);
    }
  }

  @Test
  void chooseTheColdNodeWithTheLeastLatency() {
    seeUsualLoads();
    pool.add(1, 2, 9 * MILLI, 0);
    pool.add(2, 8, 3 * MILLI, 0);
    pool.add(3, 60, MILLI, 0);
    assertThat(pool.choose(List.of(1, 2, 3), 0)).isEqualTo(2);
  }

  @Test
  void chooseTheLeastLoadedOfHotNodes() {
    seeUsualLoads();
    pool.add(1, 40, MILLI, 0);
    pool.add(2, 30, 90 * MILLI, 0);
    assertThat(pool.choose(List.of(1, 2), 0)).isEqualTo(2);
  }

  @Test
  void countAUseAsARequestInFlight() {
    seeUsualLoads();
    pool.add(1, 30, MILLI, 0);
    pool.add(2, 31, MILLI, 0);
    assertThat(pool.choose(List.of(1, 2), 0)).isEqualTo(1);
    assertThat(pool.choose(List.of(1, 2), 0)).isEqualTo(1);
    assertThat(pool.choose(List.of(1, 2), 0)).isEqualTo(2);
  }

  @Test
  void leaveTheChoiceToChanceWithoutAProbe() {
    assertThat(pool.choose(List.of(1, 2), 0)).isNegative();
  }

  @Test
  void chooseTheOnlyCopyByOneProbe() {
    pool.add(1, 1, MILLI, 0);
    assertThat(pool.choose(List.of(1), 0)).isEqualTo(1);
  }

  @Test
  void ignoreOldProbes() {
    pool.add(1, 1, MILLI, 0);
    pool.add(2, 1, MILLI, SECOND);
    assertThat(pool.choose(List.of(1, 2), 2 * SECOND)).isEqualTo(2);
    assertThat(pool.choose(List.of(1, 2), 3 * SECOND)).isNegative();
  }

  @Test
  void estimateLatencyAtTheNearestKnownLoad() {
    LatencyByLoad latencies = new LatencyByLoad();
    assertThat(latencies.median(3)).isZero();
    for (long nanos : new long[] {5, 1, 9}) {
      latencies.add(3, nanos);
    }
    latencies.add(30, 100);
    assertThat(latencies.median(3)).isEqualTo(5);
    assertThat(latencies.median(4)).isEqualTo(5);
    assertThat(latencies.median(29)).isEqualTo(100);
    assertThat(latencies.median(100_000)).isEqualTo(100);
  }
}
