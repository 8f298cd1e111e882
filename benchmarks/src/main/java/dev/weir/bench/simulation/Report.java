package dev.weir.bench.simulation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/** Writes what was measured as a page with a table and a plot for each scenario. */
final class Report {
  private Report() {}

  static void write(Path folder, Results results, List<Targets.Verdict> verdicts, int seeds)
      throws IOException {
    Files.createDirectories(folder);
    StringBuilder page = new StringBuilder();
    page.append(
        """
        # Choosing the copy, simulated

        Written by `./weir bench simulate --out docs/simulation`: do not edit. Virtual time, the
        gateway's own classes; means over %d seeds, the same work for every policy. p99 / p99.9 of
        searches in milliseconds; in brackets p99 over the oracle's. The oracle knows what no
        gateway can: the true cost of everything that runs and waits, and the end of every pause.

        `adaptive` is the score alone; `adaptive-hedged` adds second requests; `adaptive-full`
        also limits what is under way and binds late, as the gateway does when told to.
        `adaptive-home` is `adaptive-hedged` that prefers the copy which has the answer in its
        cache if any has (only in the scenario with a cache). Where gateways choose differently,
        what is measured is what the clients of those see that choose so. The oracle of `stopped`
        never asks the stopped node.

        """
            .formatted(seeds));
    table(page, results);
    targets(page, verdicts);
    page.append("\n## Scenarios\n");
    for (Map.Entry<Scenario, Map<Way, Measured>> entry : results.all().entrySet()) {
      Scenario scenario = entry.getKey();
      String plot = scenario.name() + ".svg";
      Files.writeString(folder.resolve(plot), Plot.of(scenario, entry.getValue()));
      details(page, scenario, entry.getValue());
    }
    Files.writeString(folder.resolve("README.md"), page.toString());
  }

  private static void targets(StringBuilder page, List<Targets.Verdict> verdicts) {
    List<Way> ways = Stream.of(Way.values()).filter(way -> way != Way.ORACLE).toList();
    page.append(
        "\n## Targets\n\nBold is missed. How many each meets, of those it was tried on:\n\n|");
    ways.forEach(way -> page.append(' ').append(way.label()).append(" |"));
    page.append('\n').append("| --- ".repeat(ways.size())).append("|\n|");
    for (Way way : ways) {
      long tried = verdicts.stream().filter(one -> one.byWay().containsKey(way)).count();
      long met = verdicts.stream().filter(one -> one.met(way)).count();
      page.append(' ').append(met).append(" of ").append(tried).append(" |");
    }
    page.append("\n\n| scenario | what | at most |");
    ways.forEach(way -> page.append(' ').append(way.label()).append(" |"));
    page.append("\n| --- | --- | --- |").append(" --- |".repeat(ways.size())).append('\n');
    for (Targets.Verdict verdict : verdicts) {
      page.append(
          String.format(
              Locale.ROOT,
              "| %s | %s | %.3f |",
              verdict.scenario(),
              verdict.what(),
              verdict.bound()));
      for (Way way : ways) {
        Double value = verdict.byWay().get(way);
        String mark = verdict.met(way) ? "" : "**";
        page.append(
            value == null ? "  |" : String.format(Locale.ROOT, " %s%.3f%s |", mark, value, mark));
      }
      page.append('\n');
    }
  }

  private static void table(StringBuilder page, Results results) {
    page.append("| scenario |");
    for (Way way : Way.values()) {
      page.append(' ').append(way.label()).append(" |");
    }
    page.append("\n| --- |").append(" --- |".repeat(Way.values().length)).append('\n');
    results
        .all()
        .forEach((scenario, ways) -> {
          page.append("| ").append(scenario.name()).append(" |");
          Measured oracle = ways.get(Way.ORACLE);
          for (Way way : Way.values()) {
            Measured of = ways.get(way);
            page.append(' ');
            if (of != null) {
              page.append(number(of.p99())).append(" / ").append(number(of.p999()));
              if (oracle != null && way != Way.ORACLE) {
                page.append(String.format(Locale.ROOT, " (%.2f)", of.p99() / oracle.p99()));
              }
            }
            page.append(" |");
          }
          page.append('\n');
        });
  }

  private static void details(StringBuilder page, Scenario scenario, Map<Way, Measured> ways) {
    boolean window = scenario.time().windowTo() > 0;
    page.append("\n### ").append(scenario.name()).append("\n\n").append(scenario.what());
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
              number(of.p50()),
              number(of.p90()),
              number(of.p99()),
              number(of.p999()),
              number(of.cheapP99()),
              of.perSecond(),
              100 * of.failed(),
              100 * of.extra()));
      if (cache) {
        page.append(String.format(Locale.ROOT, " %.0f %% |", 100 * of.hits()));
      }
      if (window) {
        page.append(
            String.format(
                Locale.ROOT,
                " %.2f %% | %.0f %% | %.2f s |",
                100 * of.windowShare(),
                100 * of.peakShare(),
                of.backSeconds()));
      }
      page.append('\n');
    });
  }

  static String number(double value) {
    return String.format(Locale.ROOT, value < 10 ? "%.1f" : "%.0f", value);
  }
}
