package dev.weir.bench.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bench.ResultChecks;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class HostileJudgeTest {
  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
  private final ResultChecks checks =
      new ResultChecks(new PrintStream(printed, true, StandardCharsets.UTF_8));

  private String print() {
    checks.print();
    return printed.toString(StandardCharsets.UTF_8);
  }

  @Test
  void missABoundWithoutTheSection() {
    checks.checkTrue("after all", "the gateway's process lives", true);
    HostileJudge.checkInFlight(checks, "after all", "{\"nodes\":[]}");
    assertThat(print())
        .contains("met     after all: the gateway's process lives")
        .contains("MISSED  after all: /stats has a section in_flight")
        .contains("1 of 2 bounds met");
  }

  @Test
  void allowOpenConnectionsAndNothingElse() {
    HostileJudge.checkInFlight(
        checks, "after all", "{\"in_flight\":{\"connections\":9,\"requests\":0,\"more\":1}}");
    assertThat(print())
        .contains("met     after all: in_flight.requests 0.000 (at most 0.000)")
        .contains("MISSED  after all: in_flight.more 1.000 (at most 0.000)")
        .doesNotContain("in_flight.connections");
  }
}
