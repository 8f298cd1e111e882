package dev.weir.bench.cli;

import dev.weir.bench.BenchClusters;
import dev.weir.bench.ResultChecks;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import picocli.CommandLine;

/**
 * Runs every benchmark at small sizes on shared data nodes, with its tables and its checks. Fails
 * if a benchmark fails or is missing from the list. A missed bound is no failure, because rounds of
 * a second are too short for a valid measurement.
 */
final class SmokeRun {
  private static final List<String> COMMANDS =
      List.of(
          "minting --shards 12 --seconds 0.1 --warm-up 0.1 --forks 0",
          "routes --shape mixed --seconds 0.1 --warm-up 0.1 --forks 0",
          "authorization --seconds 0.1 --warm-up 0.1 --forks 0",
          "selection --policy adaptive --seconds 0.1 --warm-up 0.1 --forks 0",
          "state --size 200x2x1@3 --expression logs-app0123 --soak 0.5 --seconds 0.1"
              + " --warm-up 0.1 --forks 0",
          "simulate --scenario equal,stopped,failing,recovery --seeds 1",
          "simulate-overload --scenario load-1.5 --policy default,vegas --seeds 1",
          "follow --indices 3 --moves 3 --gateways 2 --seconds 1",
          "stock-node --segments 1 --shards 40 --documents 1000 --collections 1",
          "compression --seconds 0.4 --rounds 1 --clients 2 --documents 2000 --warm-up 0.1",
          "codec --documents 2000 --rounds 1 --warm-up 0 --fetches 20",
          "columns --documents 2000 --rows 300 --responses 2 --seconds 0.2 --rounds 1 --clients 2"
              + " --warm-up 0.1",
          "shard-batches --shards 9 --documents 100 --clients 1 --seconds 0.3 --rounds 1"
              + " --warm-up 0.1 --bulk-shards 9 --bulk-documents 50",
          "pipelines --shards 3 --documents 50 --clients 2 --seconds 0.3 --rounds 1"
              + " --warm-up 0.1",
          "sampling --documents 2000 --shards 12 --seconds 0.1 --rounds 1 --warm-up 0.1",
          "coordinate --only 1000 --seconds 0.4 --rounds 1 --clients 2 --documents 2000"
              + " --warm-up 0.1",
          "bulk --seconds 0.4 --rounds 1 --shards 3 --clients 2 --documents 50"
              + " --warm-up 0.2 --settle 0.2 --soak 3",
          "single-shard-bulk --documents 50 --seconds 0.4 --rounds 1 --clients 2 --warm-up 0.2",
          "pruning --days 5 --documents 100 --seconds 0.3 --rounds 1 --clients 2 --warm-up 0.1",
          "overload --seconds 0.3 --settle 0.1 --warm-up 0.2 --clients 2 --documents 1000"
              + " --steps 20 --connections 100 --oversized-buckets 20000 --oversized-bulk-mb 2"
              + " --oversized-rounds 1",
          "responses --seconds 0.3 --rounds 1 --clients 2 --documents 1000 --warm-up 0.1"
              + " --export-rows 2000 --frame-rounds 2",
          "trimming --rows 100 --documents 1000 --responses 5 --seconds 0.3 --rounds 1"
              + " --clients 2 --warm-up 0.1",
          "soak --minutes 0.05 --interval 0.5 --clients 4 --documents 2000",
          "hot-node --seconds 0.3 --rounds 1 --clients 2 --documents 1000 --settle 0.2"
              + " --warm-up 0.2",
          "adaptive-selection --seconds 0.3 --rounds 1 --clients 2 --documents 1000"
              + " --settle 0.2 --warm-up 0.2",
          "dual-writes --documents 20 --clients 2 --seconds 0.3 --rounds 1 --warm-up 0.1",
          "dashboards --days 1 --shards 1 --lines 200 --rounds 1 --warm-up 0.1 --viewers 2",
          "hostile --kilobytes 1 --crowd-kilobytes 1 --at-once 2 --connections 4 --hold 0.1 --calm"
              + " 0.1 --only mget",
          "oversized --values 300 --ceiling 1mb --seconds 0.3 --pause 0.1",
          "mutate --requests 20 --lanes 2",
          "secured --authorization gateway --nodes 1 --heap 512m --requests 200 --lanes 1"
              + " --documents 100 --seconds 0.2 --rounds 1 --warm-up 0.1 --clients 2 --shards 3"
              + " --bulk-documents 20",
          "h2spec --no-build --section http2/4.1 --seconds 1",
          "traffic --seconds 0.5 --rounds 1 --rate 20 --documents 1000 --warm-up 0.2",
          "window --calm 1 --maintenance 1 --ramp 1 --rounds 1 --rate 20 --documents 1000"
              + " --warm-up 0.2",
          "rolling-restart --calm 1 --ramp 1 --rate 20 --documents 1000 --warm-up 0.2",
          "warm-up --seconds 1 --rounds 1 --calm 1 --rate 20 --clients 2 --documents 1000");

  private final PrintStream out;
  private final int parts;
  private final int part;

  /**
   * Creates a run.
   *
   * @param parts how many runs have all benchmarks together
   * @param part which of them this is, from 0
   */
  SmokeRun(PrintStream out, int parts, int part) {
    this.out = out;
    this.parts = parts;
    this.part = part;
  }

  /** Returns 0 if every benchmark completed, else 1. */
  int run() {
    List<String> failed = new ArrayList<>();
    try (BenchClusters clusters = BenchClusters.shared()) {
      Set<String> missing =
          new TreeSet<>(BenchMain.commandLine(clusters).getSubcommands().keySet());
      for (int at = 0; at < COMMANDS.size(); at++) {
        String command = COMMANDS.get(at);
        String name = command.substring(0, command.indexOf(' '));
        missing.remove(name);
        if (at % parts != part) {
          continue;
        }
        out.printf("%n--- %s%n", command);
        long began = System.nanoTime();
        int code = commandLine(clusters).execute(command.split(" "));
        out.printf("--- %s: %.1f s%n", name, (System.nanoTime() - began) / 1e9);
        if (code != 0 && code != ResultChecks.BOUND_MISSED) {
          failed.add(name + " (exit code " + code + ")");
        }
      }
      missing.forEach(name -> failed.add(name + " (not in the list of the smoke run)"));
    }
    out.println(
        failed.isEmpty() ? "smoke run: every benchmark of it ran" : "smoke run: failed: " + failed);
    return failed.isEmpty() ? 0 : 1;
  }

  private static CommandLine commandLine(BenchClusters clusters) {
    return BenchMain.commandLine(clusters);
  }
}
