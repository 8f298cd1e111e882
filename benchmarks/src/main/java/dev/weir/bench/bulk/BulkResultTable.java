package dev.weir.bench.bulk;

import dev.weir.bench.ResultChecks;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Prints the measurements of bulks relative to the coordinating-only node's, and checks them
 * against the promises for single-shard bulks.
 */
final class BulkResultTable {
  private static final double MIN_GAIN = 1.25;
  private static final double MAX_NODES_CPU = 0.75;
  private static final double MAX_GATEWAY_CPU = 0.5;
  private static final double MIN_GAIN_WITH_SLOW_NODE = 2;

  /** From this number of shards on, single-shard bulks must be faster. */
  private static final int MANY_SHARDS = 100;

  private final PrintStream out;
  private final Map<String, List<BulkMeasurement>> results = new LinkedHashMap<>();

  BulkResultTable(PrintStream out) {
    this.out = out;
  }

  void add(String title, List<BulkMeasurement> seen) {
    results.put(title, seen);
  }

  void print() {
    out.printf(
        "%n%-24s %-22s %8s %6s %8s %8s %9s %7s %11s %6s %11s %6s %7s %6s %9s%n",
        "load",
        "path",
        "docs/s",
        "ratio",
        "p50 ms",
        "p99 ms",
        "rejected",
        "failed",
        "writing CPU",
        "ratio",
        "refresh CPU",
        "ratio",
        "own ms",
        "ratio",
        "heap KB");
    results.forEach((title, all) -> {
      BulkMeasurement base = all.getFirst();
      for (BulkMeasurement seen : all) {
        out.printf(
            "%-24s %-22s %8.0f %6.2f %8.1f %8.1f %9d %7d %11.4f %6.2f %11.4f %6.2f %7.1f %6.2f"
                + " %9.0f%n",
            title,
            seen.endpoint().name(),
            seen.documentsPerSecond(),
            seen.documentsPerSecond() / base.documentsPerSecond(),
            seen.millis(50),
            seen.millis(99),
            seen.rejected(),
            seen.failed(),
            seen.writingCpu(),
            seen.writingCpu() / base.writingCpu(),
            seen.refreshCpu(),
            seen.refreshCpu() / base.refreshCpu(),
            seen.gatewayCpu(),
            seen.gatewayCpu() / base.gatewayCpu(),
            seen.allocatedKilobytesPerBulk());
      }
    });
    out.println(
        "writing, refresh: CPU seconds of all data nodes for 1000 documents, until they are"
            + " acknowledged, and to let them be searched; own: CPU milliseconds of the path's"
            + " process for a bulk; heap: what it allocates for a bulk");
  }

  /** Checks a load on healthy nodes. */
  static void check(ResultChecks verdicts, String title, int shards, List<BulkMeasurement> all) {
    BulkMeasurement node = find(all, BulkEndpoint.COORDINATING_NODE);
    BulkMeasurement plain = find(all, BulkEndpoint.PLAIN);
    BulkMeasurement singleShard = find(all, BulkEndpoint.SINGLE_SHARD);
    if (shards >= MANY_SHARDS) {
      verdicts.checkAtLeast(
          title,
          "documents/s, single-shard beside plain",
          singleShard.documentsPerSecond() / plain.documentsPerSecond(),
          MIN_GAIN);
      verdicts.checkAtMost(
          title,
          "CPU of data nodes a document written, single-shard beside plain",
          singleShard.writingCpu() / plain.writingCpu(),
          MAX_NODES_CPU);
    }
    verdicts.checkAtMost(
        title,
        "own CPU a bulk, single-shard, beside the coordinating-only node",
        singleShard.gatewayCpu() / node.gatewayCpu(),
        MAX_GATEWAY_CPU);
    checkWritten(verdicts, title, all);
  }

  /** Checks a load while one node is slow. */
  static void checkWithSlowNode(ResultChecks verdicts, String title, List<BulkMeasurement> all) {
    BulkMeasurement node = find(all, BulkEndpoint.COORDINATING_NODE);
    BulkMeasurement singleShard = find(all, BulkEndpoint.SINGLE_SHARD);
    verdicts.checkAtLeast(
        title,
        "documents/s, single-shard beside the coordinating-only node",
        singleShard.documentsPerSecond() / node.documentsPerSecond(),
        MIN_GAIN_WITH_SLOW_NODE);
    checkWritten(verdicts, title, all);
  }

  /** Checks that no path lost a document: one that writes less spends less. */
  static void checkWritten(ResultChecks verdicts, String title, List<BulkMeasurement> all) {
    for (BulkMeasurement seen : all) {
      verdicts.checkSuccesses(title, seen.endpoint().name(), seen.rejected() + seen.failed());
    }
  }

  private static BulkMeasurement find(List<BulkMeasurement> all, String name) {
    return all.stream()
        .filter(seen -> seen.endpoint().name().equals(name))
        .findFirst()
        .orElseThrow();
  }
}
