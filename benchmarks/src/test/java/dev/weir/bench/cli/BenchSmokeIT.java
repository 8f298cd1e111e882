package dev.weir.bench.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class BenchSmokeIT {
  @Test
  void runEveryBenchmark() {
    assertThat(BenchMain.run("--smoke")).isZero();
  }
}
