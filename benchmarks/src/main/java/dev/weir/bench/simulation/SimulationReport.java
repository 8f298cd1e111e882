package dev.weir.bench.simulation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/** Writes the results as a page with a table and a plot for each scenario. */
final class SimulationReport {
  private SimulationReport() {}

  static void write(
      Path folder,
      SimulationResults results,
      List<PerformanceTargets.TargetResult> verdicts,
      int seeds)
      throws IOException {
    Files.createDirectories(folder);
    StringBuilder page = new StringBuilder();
    page.append(
        """
        # Replica selection, simulated

        `./weir bench simulate --out docs/simulation` writes this page: do not edit it. It runs the
        gateway's own classes in virtual time, with the same requests for every policy. Each figure
        is the mean over %d seeds.

        | policy | selects |
        | --- | --- |
        | `adaptive` | the copy with the best score |
        | `adaptive-hedged` | the same, and hedges late requests |
        | `adaptive-single-r` | the same score, but sends a second request at one delay with one probability (SingleR, SPAA 2017), within the same budget |
        | `default` | `adaptive-hedged` behind the limits of calls in flight to each node, where searches wait and choose their copy when they go: the gateway's default |
        | `adaptive-cache-affinity` | the same, but prefers the copy whose node has cached the response; only in `cache` |
        | `c3` | by the C3 score, which you can choose in the policy |
        | `stock` | as OpenSearch's coordinating node does; only for comparison |
        | `es95` | as Elasticsearch 9.5 does: the rank `qhat^3 * S`; only for comparison |
        | `prequal` | by probes of load and latency, as Prequal (NSDI 2024); only for comparison |
        | `report-oracle` | as `load-oracle`, but it knows a node's load and speed only as of the node's last response to this gateway, and what the gateway sent since |
        | `load-oracle` | the copy that would respond first if each request had the mean cost of its class: it knows the load and speed of every node at any moment |
        | `oracle` | the copy that responds first: it knows the true cost of all requests and the end of each pause |

        - The first table shows p99 / p99.9 of searches in milliseconds, and p99 relative to the
          oracle's in brackets.
        - In the scenarios `beside-...` the gateways use different policies. The figures are those of
          the clients whose gateway uses the policy of the column.
        - In `stopped`, the oracle never selects the stopped node.

        """
            .formatted(seeds));
    table(page, results);
    targets(page, verdicts);
    page.append("\n## Scenarios\n");
    for (Map.Entry<SimulationScenario, Map<SelectionStrategy, StrategyResult>> entry :
        results.all().entrySet()) {
      SimulationScenario scenario = entry.getKey();
      String plot = scenario.name() + ".svg";
      Files.writeString(folder.resolve(plot), QuantilePlot.draw(scenario, entry.getValue()));
      details(page, scenario, entry.getValue());
    }
    Files.writeString(folder.resolve("README.md"), page.toString());
  }

  private static void targets(StringBuilder page, List<PerformanceTargets.TargetResult> verdicts) {
    List<SelectionStrategy> ways =
        Stream.of(SelectionStrategy.values()).filter(way -> !way.isOracle()).toList();
    page.append(
        "\n## Targets\n\nBold is missed. How many each meets, of those it was tried on:\n\n|");
    ways.forEach(way -> page.append(' ').append(way.label()).append(" |"));
    page.append('\n').append("| --- ".repeat(ways.size())).append("|\n|");
    for (SelectionStrategy way : ways) {
      long tried = verdicts.stream().filter(one -> one.byWay().containsKey(way)).count();
      long met = verdicts.stream().filter(one -> one.isMet(way)).count();
      page.append(' ').append(met).append(" of ").append(tried).append(" |");
    }
    page.append("\n\n| scenario | what | at most |");
    ways.forEach(way -> page.append(' ').append(way.label()).append(" |"));
    page.append("\n| --- | --- | --- |").append(" --- |".repeat(ways.size())).append('\n');
    for (PerformanceTargets.TargetResult verdict : verdicts) {
      page.append(
          String.format(
              Locale.ROOT,
              "| %s | %s | %.3f |",
              verdict.scenario(),
              verdict.description(),
              verdict.bound()));
      for (SelectionStrategy way : ways) {
        Double value = verdict.byWay().get(way);
        String mark = verdict.isMet(way) ? "" : "**";
        page.append(
            value == null ? "  |" : String.format(Locale.ROOT, " %s%.3f%s |", mark, value, mark));
      }
      page.append('\n');
    }
  }

  private static void table(StringBuilder page, SimulationResults results) {
    page.append("| scenario |");
    for (SelectionStrategy way : SelectionStrategy.values()) {
      page.append(' ').append(way.label()).append(" |");
    }
    page.append("\n| --- |")
        .append(" --- |".repeat(SelectionStrategy.values().length))
        .append('\n');
    results
        .all()
        .forEach((scenario, ways) -> {
          page.append("| ").append(scenario.name()).append(" |");
          StrategyResult oracle = ways.get(SelectionStrategy.ORACLE);
          for (SelectionStrategy way : SelectionStrategy.values()) {
            StrategyResult of = ways.get(way);
            page.append(' ');
            if (of != null) {
              page.append(formatNumber(of.p99())).append(" / ").append(formatNumber(of.p999()));
              if (oracle != null && way != SelectionStrategy.ORACLE) {
                page.append(String.format(Locale.ROOT, " (%.2f)", of.p99() / oracle.p99()));
              }
            }
            page.append(" |");
          }
          page.append('\n');
        });
  }

  private static void details(
      StringBuilder page,
      SimulationScenario scenario,
      Map<SelectionStrategy, StrategyResult> ways) {
    boolean window = scenario.time().windowTo() > 0;
    page.append("\n### ").append(scenario.name()).append("\n\n").append(scenario.description());
    page.append("; gateways: ").append(scenario.cluster().gateways()).append(".\n\n![p50, p99](");
    page.append(scenario.name()).append(".svg)\n\n");
    page.append(
        "| policy | p50 | p90 | p99 | p99.9 | cheap p99 | searches/s | failed | second requests |");
    boolean cache = scenario.load().cache().entries() > 0;
    page.append(cache ? " from caches |" : "");
    page.append(window ? " node 0 | peak | back after |\n" : "\n");
    int columns = 8 + (cache ? 1 : 0) + (window ? 3 : 0);
    page.append("| --- |").append(" --- |".repeat(columns)).append('\n');
    ways.forEach((way, of) -> {
      page.append(
          String.format(
              Locale.ROOT,
              "| %s | %s | %s | %s | %s | %s | %.0f | %.2f %% | %.2f %% |",
              way.label(),
              formatNumber(of.p50()),
              formatNumber(of.p90()),
              formatNumber(of.p99()),
              formatNumber(of.p999()),
              formatNumber(of.cheapRequestP99()),
              of.searchesPerSecond(),
              100 * of.failedRatio(),
              100 * of.hedgeRatio()));
      if (cache) {
        page.append(String.format(Locale.ROOT, " %.0f %% |", 100 * of.cacheHitRatio()));
      }
      if (window) {
        page.append(
            String.format(
                Locale.ROOT,
                " %.2f %% | %.0f %% | %.2f s |",
                100 * of.windowShareOfNode0(),
                100 * of.peakShareOfNode0(),
                of.recoverySeconds()));
      }
      page.append('\n');
    });
  }

  static String formatNumber(double value) {
    return String.format(Locale.ROOT, value < 10 ? "%.1f" : "%.0f", value);
  }
}
