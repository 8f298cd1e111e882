package dev.weir.bench.pruning;

import dev.weir.bench.ResultChecks;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;

/**
 * The paths of the same search, their figures, and the bounds.
 *
 * @param node a node that coordinates alone, without the gateway
 * @param queried the gateway queries all shards
 * @param off the gateway does not prune: it asks shards whether they can match where a node would
 * @param on the gateway prunes
 */
record PruningTable(SearchPath node, SearchPath queried, SearchPath off, SearchPath on) {
  private static final double MAX_MESSAGES = 0.25;
  private static final double MAX_NODES_CPU = 0.5;
  private static final double MAX_GATEWAY_CPU = 0.6;
  private static final double MAX_LATENCY = 1;

  /** Of the searches; a question that a new cluster state overtakes prunes nothing. */
  private static final double MIN_PRUNED = 0.95;

  /** What leaving out most indices is to save of a search that all shards answer. */
  private static final double MAX_OF_ALL_SHARDS = 0.1;

  List<SearchPath> paths() {
    return List.of(node, queried, off, on);
  }

  /** Returns the total and the aggregations of a response, without what may differ. */
  static String totalsOf(String body) {
    int total = body.indexOf("\"total\":{");
    int end = body.indexOf('}', total);
    int aggregations = body.indexOf("\"aggregations\"");
    if (total < 0 || end < 0 || aggregations < 0) {
      throw new IllegalArgumentException(
          "got " + body + " (expected: a total and aggregations of hits)");
    }
    return body.substring(total, end + 1) + body.substring(aggregations);
  }

  void print(PrintStream out) {
    out.printf(
        "%n%-26s %9s %7s %13s %7s %13s %7s %9s %8s %8s %8s%n",
        "path",
        "messages",
        "ratio",
        "nodes CPU-ms",
        "ratio",
        "own CPU-ms",
        "ratio",
        "heap KB",
        "p50 ms",
        "p99 ms",
        "req/s");
    for (SearchPath path : paths()) {
      out.printf(
          Locale.ROOT,
          "%-26s %9.1f %7.2f %13.3f %7.2f %13.3f %7.2f %9.0f %8.1f %8.1f %8.0f%n",
          path.name(),
          path.messages(),
          path.messages() / off.messages(),
          path.measured().nodesCpu(),
          path.measured().nodesCpu() / off.measured().nodesCpu(),
          path.measured().gatewayCpu(),
          path.measured().gatewayCpu() / off.measured().gatewayCpu(),
          path.measured().allocatedKilobytesPerRequest(),
          path.measured().millis(50),
          path.measured().millis(99),
          path.measured().requestsPerSecond());
    }
    out.println(
        "of a search; own: of the path's process; ratio: of the gateway without pruning. NaN: not"
            + " counted");
  }

  /**
   * Checks the bounds.
   *
   * @param pruned searches of the rounds that left out shards
   */
  void check(ResultChecks checks, double pruned) {
    String title = "pruning on, of off";
    checks.checkAtMost(title, "messages to nodes", on.messages() / off.messages(), MAX_MESSAGES);
    checks.checkAtMost(
        title,
        "CPU of the nodes",
        on.measured().nodesCpu() / off.measured().nodesCpu(),
        MAX_NODES_CPU);
    checks.checkAtMost(
        title,
        "CPU of the gateway",
        on.measured().gatewayCpu() / off.measured().gatewayCpu(),
        MAX_GATEWAY_CPU);
    checks.checkAtMost(
        title,
        "heap of the gateway",
        on.measured().allocatedKilobytesPerRequest()
            / off.measured().allocatedKilobytesPerRequest(),
        1);
    checks.checkAtMost(
        title, "p50", on.measured().millis(50) / off.measured().millis(50), MAX_LATENCY);
    checks.checkAtMost(
        title, "p99", on.measured().millis(99) / off.measured().millis(99), MAX_LATENCY);
    checks.checkAtMost(
        "pruning on, of all shards queried",
        "CPU of the nodes",
        on.measured().nodesCpu() / queried.measured().nodesCpu(),
        MAX_OF_ALL_SHARDS);
    checks.checkAtLeast(
        "pruning on", "share of pruned searches", pruned / on.measured().requests(), MIN_PRUNED);
    for (SearchPath path : paths()) {
      checks.checkTrue(path.name(), "all succeed", path.measured().errors() == 0);
    }
  }
}
