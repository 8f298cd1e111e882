package dev.weir.bench.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bench.ResultChecks;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class TrafficOutcomesTest {
  private static final String REPORT =
      """
      {"compared": %d, "differing": 0, "verdicts": {"search": {"same": %1$d}},
       "incomparable": {"rejected": 2}, "shed_requests": {"overload": 3, "in-flight-limit": 5}}
      """;

  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
  private final ResultChecks checks =
      new ResultChecks(new PrintStream(printed, true, StandardCharsets.UTF_8));

  private String print() {
    checks.print();
    return printed.toString(StandardCharsets.UTF_8);
  }

  @Test
  void readWhatBecameOfShadowReads() throws IOException {
    ShadowOutcomes outcomes = ShadowOutcomes.parse(REPORT.formatted(990));
    assertThat(outcomes).isEqualTo(new ShadowOutcomes(990, 10));
    assertThat(outcomes.since(new ShadowOutcomes(490, 10))).isEqualTo(new ShadowOutcomes(500, 0));
    assertThat(outcomes.comparedOf(900)).isEqualTo(0.99);
  }

  @Test
  void missABoundWhenNoReadWasRepeated() throws IOException {
    TrafficBench.checkShadow(checks, ShadowOutcomes.parse(REPORT.formatted(0)), 1000);
    assertThat(print())
        .contains("MISSED  all reads shadowed: shadow reads compared, of the searches 0.000");
  }

  @Test
  void meetTheBoundWhenNearlyAllReadsWereCompared() throws IOException {
    TrafficBench.checkShadow(checks, ShadowOutcomes.parse(REPORT.formatted(990)), 1000);
    assertThat(checks.exitCode()).as(print()).isZero();
  }
}
