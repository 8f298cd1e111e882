package dev.weir.bench.hotnode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bench.ClosedLoopLoad;
import dev.weir.bench.ResultChecks;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class AdaptiveSelectionTableTest {
  private static final long SECOND = 1_000_000_000;

  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
  private final PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);
  private final ResultChecks checks = new ResultChecks(out);

  /** Returns a second of requests that all took as long, with a CPU millisecond each. */
  private static HotNodeMeasurement measured(int requests, long micros, double share) {
    Histogram latencies = new Histogram(3);
    latencies.recordValueWithCount(micros, requests);
    HotNodeMeasurement measured = new HotNodeMeasurement();
    measured.add(new ClosedLoopLoad.Result(requests, 0, SECOND, 0, latencies));
    measured.addCpu(1_000_000L * requests, 4_000_000L * requests);
    measured.share(share);
    return measured;
  }

  private static Map<String, HotNodeMeasurement> all(
      HotNodeMeasurement roundRobin, HotNodeMeasurement others) {
    Map<String, HotNodeMeasurement> seen = new LinkedHashMap<>();
    for (String name : AdaptiveSelectionTable.ALGORITHMS) {
      seen.put(name, name.equals(AdaptiveSelectionTable.ROUND_ROBIN) ? roundRobin : others);
    }
    return seen;
  }

  private String print() {
    checks.print();
    return printed.toString(StandardCharsets.UTF_8);
  }

  @Test
  void meetTheBoundsWhenTheSlowNodeIsAvoided() {
    Map<String, HotNodeMeasurement> seen =
        all(measured(400, 40_000, 0.33), measured(1000, 10_000, 0.05));
    AdaptiveSelectionTable.check(checks, NodeFault.SLOWED, seen);
    assertThat(checks.exitCode()).as(print()).isZero();
  }

  @Test
  void missTheBoundsWhenNothingIsGained() {
    Map<String, HotNodeMeasurement> seen =
        all(measured(1000, 10_000, 0.33), measured(1000, 10_000, 0.33));
    AdaptiveSelectionTable.check(checks, NodeFault.STOPPED, seen);
    assertThat(checks.exitCode()).isEqualTo(ResultChecks.BOUND_MISSED);
    assertThat(print())
        .contains("MISSED  stopped, c3, of round-robin: requests/s 1.000 (at least 2.130)")
        .contains("MISSED  stopped, adaptive, of round-robin: p99 1.000 (at most 0.390)")
        .contains("MISSED  stopped, c3: share of the slow node 0.330 (at most 0.167)");
  }

  @Test
  void distrustARoundRobinThatAvoidsTheSlowNode() {
    Map<String, HotNodeMeasurement> seen =
        all(measured(400, 40_000, 0.1), measured(1000, 10_000, 0.05));
    AdaptiveSelectionTable.check(checks, NodeFault.SLOWED, seen);
    assertThat(print())
        .contains("MISSED  slowed, round-robin: share of the slow node 0.100 (at least 0.267)");
  }

  @Test
  void expectNoGainFromHealthyNodes() {
    Map<String, HotNodeMeasurement> seen =
        all(measured(1000, 10_000, 0.33), measured(1000, 10_000, 0.33));
    AdaptiveSelectionTable.check(checks, NodeFault.NONE, seen);
    assertThat(checks.exitCode()).as(print()).isZero();
  }

  @Test
  void printTheCpuOfARequest() {
    AdaptiveSelectionTable.print(
        out, "slowed", all(measured(400, 40_000, 0.33), measured(1000, 10_000, 0.05)));
    assertThat(printed.toString(StandardCharsets.UTF_8))
        .containsPattern("c3 +1\\.000 +1\\.00 +4\\.000 +1000 +2\\.50");
  }
}
