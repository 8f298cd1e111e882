package dev.weir.bluegreen.dual;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RepairPaceTest {
  private static final long SECOND = 1_000_000_000L;

  private long nowNanos = 5 * SECOND;
  private final List<Long> waits = new ArrayList<>();

  private RepairPace pace(double perSecond) {
    return new RepairPace(
        perSecond,
        () -> nowNanos,
        nanos -> {
          waits.add(nanos);
          nowNanos += nanos;
        });
  }

  @Test
  void spreadDocumentsEvenly() throws InterruptedException {
    RepairPace pace = pace(4);
    for (int i = 0; i < 3; i++) {
      pace.await();
    }
    assertThat(waits).containsExactly(SECOND / 4, SECOND / 4);
    nowNanos += 10 * SECOND;
    pace.await();
    pace.await();
    assertThat(waits).as("no burst after a pause").hasSize(3).endsWith(SECOND / 4);
  }

  @Test
  void waitForNothingWithoutALimit() throws InterruptedException {
    RepairPace pace = pace(Double.POSITIVE_INFINITY);
    for (int i = 0; i < 1000; i++) {
      pace.await();
    }
    assertThat(waits).isEmpty();
  }

  @Test
  void tellTheRateAndTheRest() {
    RepairPace pace = pace(Double.POSITIVE_INFINITY);
    pace.expect(50);
    pace.count(5);
    pace.count(5);
    nowNanos += 4 * SECOND;
    assertThat(pace.describe()).isEqualTo("0.5 documents/s, about 16 s left");
    pace.expect(10_000);
    assertThat(pace.describe()).isEqualTo("0.5 documents/s, about 66 min left");
    pace.expect(100_000);
    assertThat(pace.describe()).isEqualTo("0.5 documents/s, about 12 h 13 min left");
  }
}
