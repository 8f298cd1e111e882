package dev.weir.bench.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.junit.TestSeed;
import dev.weir.testkit.junit.TestSuite;
import org.junit.jupiter.api.Test;

/**
 * Runs a sixteenth of the benchmarks, drawn by the seed; with {@code -Dweir.suite=all} all of them.
 */
final class BenchSmokeIT {
  private static final int PARTS = TestSuite.IS_WHOLE ? 1 : 16;

  @Test
  void runBenchmarks() {
    int part = TestSeed.random(BenchSmokeIT.class).nextInt(PARTS);
    assertThat(new SmokeRun(System.out, PARTS, part).run()).isZero();
  }
}
