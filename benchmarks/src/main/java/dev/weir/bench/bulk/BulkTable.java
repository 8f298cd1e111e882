package dev.weir.bench.bulk;

import dev.weir.bench.Verdicts;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Prints what was seen, in proportion to the coordinating-only node, and whether it is what
 * directed bulks promise.
 */
final class BulkTable {
  private static final double LEAST_GAIN = 1.25;
  private static final double MOST_NODES_CPU = 0.75;
  private static final double MOST_OWN_CPU = 0.5;
  private static final double LEAST_BESIDE_SLOW = 2;

  /** From so many shards on, bulks are expected to gain. */
  private static final int MANY_SHARDS = 100;

  private final PrintStream out;
  private final Map<String, List<Seen>> results = new LinkedHashMap<>();

  BulkTable(PrintStream out) {
    this.out = out;
  }

  void add(String title, List<Seen> seen) {
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
      Seen base = all.getFirst();
      for (Seen seen : all) {
        out.printf(
            "%-24s %-22s %8.0f %6.2f %8.1f %8.1f %9d %7d %11.4f %6.2f %11.4f %6.2f %7.1f %6.2f"
                + " %9.0f%n",
            title,
            seen.way().name(),
            seen.rate(),
            seen.rate() / base.rate(),
            seen.millis(50),
            seen.millis(99),
            seen.rejected(),
            seen.failed(),
            seen.writingCpu(),
            seen.writingCpu() / base.writingCpu(),
            seen.refreshCpu(),
            seen.refreshCpu() / base.refreshCpu(),
            seen.ownCpu(),
            seen.ownCpu() / base.ownCpu(),
            seen.allocatedKilobytes());
      }
    });
    out.println(
        "writing, refresh: CPU seconds of all data nodes for 1000 documents, until they are"
            + " acknowledged, and to let them be searched; own: CPU milliseconds of the path's"
            + " process for a bulk; heap: what it allocates for a bulk");
  }

  /** Judges a load on nodes that are well. */
  static void judge(Verdicts verdicts, String title, int shards, List<Seen> all) {
    Seen node = named(all, Way.COORDINATOR);
    Seen undirected = named(all, Way.UNDIRECTED);
    Seen directed = named(all, Way.DIRECTED);
    if (shards >= MANY_SHARDS) {
      verdicts.atLeast(
          title,
          "documents/s, directed beside undirected",
          directed.rate() / undirected.rate(),
          LEAST_GAIN);
      verdicts.atMost(
          title,
          "CPU of data nodes a document written, directed beside undirected",
          directed.writingCpu() / undirected.writingCpu(),
          MOST_NODES_CPU);
    }
    verdicts.atMost(
        title,
        "own CPU a bulk, directed, beside the coordinating-only node",
        directed.ownCpu() / node.ownCpu(),
        MOST_OWN_CPU);
    written(verdicts, title, directed);
  }

  /** Judges a load on nodes one of which is slow. */
  static void judgeSlow(Verdicts verdicts, String title, List<Seen> all) {
    Seen node = named(all, Way.COORDINATOR);
    Seen directed = named(all, Way.DIRECTED);
    verdicts.atLeast(
        title,
        "documents/s, directed beside the coordinating-only node",
        directed.rate() / node.rate(),
        LEAST_BESIDE_SLOW);
    written(verdicts, title, directed);
  }

  private static void written(Verdicts verdicts, String title, Seen directed) {
    verdicts.atMost(title, "rejected, directed", (double) directed.rejected(), 0);
    verdicts.atMost(title, "failed, directed", (double) directed.failed(), 0);
  }

  private static Seen named(List<Seen> all, String name) {
    return all.stream().filter(seen -> seen.way().name().equals(name)).findFirst().orElseThrow();
  }
}
