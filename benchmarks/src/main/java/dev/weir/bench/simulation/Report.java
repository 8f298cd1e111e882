package dev.weir.bench.simulation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;

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

        `adaptive` is the score alone, as the gateway chooses; `adaptive-hedged` adds second
        requests, `adaptive-full` also limits what is under way and binds late.

        """
            .formatted(seeds));
    table(page, results);
    page.append("\n## Targets\n\n| | scenario | what | value | at most |\n");
    page.append("| --- | --- | --- | --- | --- |\n");
    for (Targets.Verdict verdict : verdicts) {
      page.append(
          String.format(
              Locale.ROOT,
              "| %s | %s | %s | %.3f | %.3f |%n",
              verdict.met() ? "met" : "**missed**",
              verdict.scenario(),
              verdict.what(),
              verdict.value(),
              verdict.bound()));
    }
    page.append("\n## Scenarios\n");
    for (Map.Entry<Scenario, Map<Way, Measured>> entry : results.all().entrySet()) {
      Scenario scenario = entry.getKey();
      String plot = scenario.name() + ".svg";
      Files.writeString(folder.resolve(plot), Plot.of(scenario, entry.getValue()));
      details(page, scenario, entry.getValue());
    }
    Files.writeString(folder.resolve("README.md"), page.toString());
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
        "| policy | p50 | p99 | p99.9 | cheap p99 | searches/s | failed | second requests |");
    page.append(window ? " node 0 | peak | back after |\n" : "\n");
    page.append("| --- |".repeat(1)).append(" --- |".repeat(window ? 10 : 7)).append('\n');
    ways.forEach((way, of) -> {
      page.append(
          String.format(
              Locale.ROOT,
              "| %s | %s | %s | %s | %s | %.0f | %.2f %% | %.2f %% |",
              way.label(),
              number(of.p50()),
              number(of.p99()),
              number(of.p999()),
              number(of.cheapP99()),
              of.perSecond(),
              100 * of.failed(),
              100 * of.extra()));
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
