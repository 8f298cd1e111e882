package dev.weir.bench.responses;

import dev.weir.bench.ResultChecks;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;

/**
 * The paths of the same hits, their figures, and the bounds.
 *
 * @param nodeFiltered a coordinating-only node leaves out parts by {@code filter_path}
 * @param whole the gateway leaves out nothing
 * @param filtered the gateway leaves out parts by {@code filter_path}
 * @param trimmed the gateway leaves out the same parts by {@code trim}
 * @param ids the gateway leaves out the documents too
 */
record TrimmingTable(
    TrimmedPath nodeFiltered,
    TrimmedPath whole,
    TrimmedPath filtered,
    TrimmedPath trimmed,
    TrimmedPath ids) {
  private static final double MAX_BYTES = 0.85;
  private static final double MAX_CLIENT_CPU = 0.95;
  private static final double MAX_GATEWAY_CPU = 1;
  private static final double MAX_IDS_BYTES = 0.4;
  private static final double MAX_IDS_CPU = 0.9;

  /** Ten per cent more searches with the same CPU than by a node's {@code filter_path}. */
  private static final double MAX_OF_NODE = 1 / 1.1;

  List<TrimmedPath> paths() {
    return List.of(nodeFiltered, whole, filtered, trimmed, ids);
  }

  void print(PrintStream out, String title) {
    out.printf(
        "%n%-30s %9s %7s %11s %7s %12s %7s %9s %13s %7s %10s %7s %7s%n",
        title,
        "KB",
        "ratio",
        "own CPU-ms",
        "ratio",
        "nodes CPU-ms",
        "ratio",
        "heap KB",
        "client CPU-ms",
        "ratio",
        "client KB",
        "p50 ms",
        "p99 ms");
    for (TrimmedPath path : paths()) {
      out.printf(
          Locale.ROOT,
          "%-30s %9.1f %7.3f %11.3f %7.3f %12.3f %7.3f %9.0f %13.3f %7.3f %10.0f %7.1f %7.1f%n",
          path.name(),
          path.servers().bodyKilobytesPerRequest(),
          path.servers().bodyKilobytesPerRequest() / whole.servers().bodyKilobytesPerRequest(),
          path.servers().gatewayCpu(),
          path.servers().gatewayCpu() / whole.servers().gatewayCpu(),
          path.servers().nodesCpu(),
          path.servers().nodesCpu() / whole.servers().nodesCpu(),
          path.servers().allocatedKilobytesPerRequest(),
          path.client().cpuMillis(),
          path.client().cpuMillis() / whole.client().cpuMillis(),
          path.client().allocatedKilobytes(),
          path.servers().millis(50),
          path.servers().millis(99));
    }
    out.println(
        "of a response; own: of the path's process; heap: of the path's process; client: of one"
            + " that reads JSON into maps and lists; ratio: of the whole response");
  }

  void check(ResultChecks checks, String title) {
    double wholeBytes = whole.servers().bodyKilobytesPerRequest();
    String of = title + ", trimmed, of the whole response";
    checks.checkAtMost(
        of, "bytes", trimmed.servers().bodyKilobytesPerRequest() / wholeBytes, MAX_BYTES);
    checks.checkAtMost(
        of,
        "CPU of the client",
        trimmed.client().cpuMillis() / whole.client().cpuMillis(),
        MAX_CLIENT_CPU);
    checks.checkAtMost(
        of,
        "heap of the client",
        trimmed.client().allocatedKilobytes() / whole.client().allocatedKilobytes(),
        MAX_CLIENT_CPU);
    checks.checkAtMost(
        of,
        "CPU of the gateway",
        trimmed.servers().gatewayCpu() / whole.servers().gatewayCpu(),
        MAX_GATEWAY_CPU);
    checks.checkAtMost(
        title + ", trimmed, of filter_path in a node",
        "CPU of the path and the nodes",
        trimmed.servers().totalCpu() / nodeFiltered.servers().totalCpu(),
        MAX_OF_NODE);
    String ofIds = title + ", without documents, of the whole response";
    checks.checkAtMost(
        ofIds, "bytes", ids.servers().bodyKilobytesPerRequest() / wholeBytes, MAX_IDS_BYTES);
    checks.checkAtMost(
        ofIds,
        "CPU of the gateway and the nodes",
        ids.servers().totalCpu() / whole.servers().totalCpu(),
        MAX_IDS_CPU);
    for (TrimmedPath path : paths()) {
      checks.checkTrue(path.name(), "all succeed", path.servers().errors() == 0);
    }
  }
}
