package dev.weir.node.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class LoadHeaderTest {
  /** The gateway's own test reads the same text. */
  @Test
  void writeWhatTheGatewayReads() {
    assertThat(LoadHeader.format(3, 14, 812_345, new ProcessLoad(27, 61, 1042, 2)))
        .isEqualTo("3,14,812345,27,61,1042,2");
    assertThat(LoadHeader.format(-1, -1, -1, ProcessLoad.UNKNOWN)).isEqualTo("-,-,-,-,-,-,-");
  }

  @Test
  void writeSevenFieldsInTheirOrder() {
    SplittableRandom random = new SplittableRandom(3);
    for (int i = 0; i < 10_000; i++) {
      ProcessLoad process =
          new ProcessLoad(
              random.nextInt(-1, 101),
              random.nextInt(-1, 101),
              random.nextLong(-1, 1L << random.nextInt(1, 59)),
              random.nextInt(-1, 20));
      long running = random.nextInt(-1, 100);
      long queued = random.nextInt(-1, 10_000);
      long service = random.nextLong(-1, 1L << random.nextInt(1, 59));
      long[] read =
          Arrays.stream(LoadHeader.format(running, queued, service, process).split(",", -1))
              .mapToLong(field -> field.equals("-") ? -1 : Long.parseLong(field))
              .toArray();
      assertThat(read)
          .containsExactly(
              running,
              queued,
              service,
              process.cpuPercent(),
              process.heapPercent(),
              process.gcPauseMillis(),
              process.merges());
    }
  }

  @Test
  void measureThisProcess() {
    ProcessLoad load = ProcessLoad.measure(4);
    assertThat(load.cpuPercent()).isBetween(-1, 100);
    assertThat(load.heapPercent()).isBetween(0, 100);
    assertThat(load.gcPauseMillis()).isNotNegative();
    assertThat(load.merges()).isEqualTo(4);
  }
}
