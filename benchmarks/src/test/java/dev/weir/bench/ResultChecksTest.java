package dev.weir.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

final class ResultChecksTest {
  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
  private final ResultChecks checks =
      new ResultChecks(new PrintStream(printed, true, StandardCharsets.UTF_8));

  @Test
  void returnZeroWhenEveryBoundIsMet() {
    checks.checkAtMost("search", "p99", 2, 2);
    checks.checkAtLeast("search", "requests/s", 10, 9);
    checks.checkTrue("search", "every response was complete", true);
    assertThat(checks.exitCode()).isZero();
    checks.print();
    assertThat(printed.toString(StandardCharsets.UTF_8))
        .contains("met     search: p99 2.000 (at most 2.000)")
        .contains("3 of 3 bounds met");
  }

  @Test
  void returnNonZeroWhenABoundIsMissed() {
    checks.checkAtMost("search", "p99", 2.1, 2);
    checks.checkAtLeast("search", "requests/s", 10, 9);
    assertThat(checks.exitCode()).isEqualTo(ResultChecks.BOUND_MISSED);
    checks.print();
    assertThat(printed.toString(StandardCharsets.UTF_8))
        .contains("MISSED  search: p99 2.100 (at most 2.000)")
        .contains("1 of 2 bounds met");
  }

  @Test
  void missWhenNothingWasChecked() {
    assertThat(checks.exitCode()).isEqualTo(ResultChecks.BOUND_MISSED);
    checks.print();
    assertThat(printed.toString(StandardCharsets.UTF_8))
        .contains("MISSED  nothing was checked")
        .contains("0 of 0 bounds met");
  }

  @Test
  void missABoundWithoutAFigure() {
    checks.checkAtMost("search", "p99", Double.NaN, 2);
    assertThat(checks.exitCode()).isEqualTo(ResultChecks.BOUND_MISSED);
  }

  @Test
  void missABoundOfAPathWithErrors() {
    checks.checkSuccesses("search", "weir", 0);
    checks.checkSuccesses("search", "node", 1);
    checks.print();
    assertThat(printed.toString(StandardCharsets.UTF_8))
        .contains("met     search: weir, errors 0.000 (at most 0.000)")
        .contains("MISSED  search: node, errors 1.000 (at most 0.000)");
  }
}
