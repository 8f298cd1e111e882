package dev.weir.bench.hotnode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bench.ClosedLoopLoad;
import dev.weir.bench.ResultChecks;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class HotNodeTableTest {
  private static final long SECOND = 1_000_000_000;

  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
  private final PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);
  private final ResultChecks checks = new ResultChecks(out);

  /** Returns a second of 100 requests that all took a millisecond. */
  private static HotNodeMeasurement measured(long errors) {
    Histogram latencies = new Histogram(3);
    latencies.recordValueWithCount(1000, 100);
    HotNodeMeasurement measured = new HotNodeMeasurement();
    measured.add(new ClosedLoopLoad.Result(100, errors, SECOND, 0, latencies));
    measured.share(0);
    return measured;
  }

  /** Checks a fault where one path has an error and the others have none. */
  private String check(NodeFault fault, String failing) {
    Map<HotNodeEndpoint, HotNodeMeasurement> seen = new LinkedHashMap<>();
    for (String name :
        List.of(
            HotNodeEndpoint.COORDINATING_NODE,
            HotNodeEndpoint.LEAST_OUTSTANDING,
            HotNodeEndpoint.WEIR,
            HotNodeEndpoint.ORACLE)) {
      InetSocketAddress address = new InetSocketAddress("127.0.0.1", 9200);
      seen.put(new HotNodeEndpoint(name, address, 1, ""), measured(name.equals(failing) ? 1 : 0));
    }
    HotNodeTable.check(checks, Map.of(fault, seen));
    checks.print();
    return printed.toString(StandardCharsets.UTF_8);
  }

  @Test
  void meetTheBoundsWithoutErrors() {
    check(NodeFault.NONE, "");
    assertThat(checks.exitCode()).isZero();
  }

  @Test
  void missABoundWithAnError() {
    assertThat(check(NodeFault.NONE, HotNodeEndpoint.WEIR))
        .contains("MISSED  healthy: weir, errors 1.000 (at most 0.000)");
    assertThat(checks.exitCode()).isEqualTo(ResultChecks.BOUND_MISSED);
  }

  @Test
  void missABoundWhereTheOtherPathHasAnError() {
    assertThat(check(NodeFault.SLOWED, HotNodeEndpoint.COORDINATING_NODE))
        .contains("MISSED  slowed: coordinating-only node, errors 1.000 (at most 0.000)");
  }

  @Test
  void allowErrorsOfANodeInFrontOfAFailingOne() {
    check(NodeFault.FAILING, HotNodeEndpoint.COORDINATING_NODE);
    assertThat(checks.exitCode()).isZero();
  }
}
