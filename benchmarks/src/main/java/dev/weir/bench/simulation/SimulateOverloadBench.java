package dev.weir.bench.simulation;

import dev.weir.bench.ResultChecks;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./weir bench simulate-overload}: compares ways to admit requests, in virtual time. */
@Command(
    name = "simulate-overload",
    description = "admission under overload in virtual time, beside OpenSearch's limits")
public final class SimulateOverloadBench implements Callable<Integer> {
  @Option(names = "--scenario", split = ",", description = "only these scenarios")
  private List<String> scenarios = List.of();

  @Option(names = "--policy", split = ",", description = "only these ways to admit requests")
  private List<String> policies = List.of();

  @Option(
      names = "--seeds",
      description = "runs of each, with different random numbers (default: ${DEFAULT-VALUE})")
  private int seeds = 3;

  @Option(names = "--out", description = "write the table to this file")
  private @Nullable Path out;

  @Override
  public Integer call() throws IOException {
    PrintStream console = System.out;
    Map<SimulationScenario, Map<AdmissionStrategy, OverloadResult>> results = new LinkedHashMap<>();
    StringBuilder table = new StringBuilder();
    for (SimulationScenario scenario : OverloadScenarios.all()) {
      if (!scenarios.isEmpty() && !scenarios.contains(scenario.name())) {
        continue;
      }
      Map<AdmissionStrategy, OverloadResult> byStrategy = new EnumMap<>(AdmissionStrategy.class);
      append(
          console,
          table,
          String.format(
              Locale.ROOT,
              "%n### %s%n%n%s: %.0f searches/s, capacity %.0f.%n%n"
                  + "| admission | goodput/s | p50 ms | p99 ms | in time | cheap | heavy |%n"
                  + "| --- | --- | --- | --- | --- | --- | --- |%n",
              scenario.name(),
              scenario.description(),
              scenario.searchesPerSecond(),
              OverloadScenarios.capacity(scenario)));
      for (AdmissionStrategy strategy : AdmissionStrategy.values()) {
        if (policies.isEmpty() || policies.contains(strategy.label())) {
          OverloadResult result = OverloadResult.run(scenario, strategy, seeds);
          byStrategy.put(strategy, result);
          append(console, table, row(strategy, result));
        }
      }
      results.put(scenario, byStrategy);
    }
    List<OverloadTargets.Verdict> verdicts = OverloadTargets.check(results);
    console.println();
    verdicts.forEach(verdict -> console.println(verdict.format()));
    if (out != null) {
      Files.writeString(out, page(table, verdicts));
      console.println("written to " + out);
    }
    return verdicts.stream().allMatch(OverloadTargets.Verdict::isMet)
        ? 0
        : ResultChecks.BOUND_MISSED;
  }

  private static void append(PrintStream console, StringBuilder table, String text) {
    console.print(text);
    table.append(text);
  }

  private static String row(AdmissionStrategy strategy, OverloadResult result) {
    return String.format(
        Locale.ROOT,
        "| %s | %.0f | %s | %s | %.1f %% | %.0f %% | %.0f %% |%n",
        strategy.label(),
        result.goodput(),
        SimulationReport.formatNumber(result.p50()),
        SimulationReport.formatNumber(result.p99()),
        100 * result.inTimeRatio(),
        100 * result.cheapInTimeRatio(),
        100 * result.heavyInTimeRatio());
  }

  private String page(StringBuilder table, List<OverloadTargets.Verdict> verdicts) {
    StringBuilder page = new StringBuilder();
    page.append(
        """
        # Admission under overload, simulated

        `./weir bench simulate-overload --out docs/simulation/overload.md` writes this page: do not edit it.
        Six nodes with 13 search threads, three gateways, 3 copies of each shard. Clients give up after
        1 s, so that a later response is no goodput. Each figure is the mean over %d seeds.

        | admission | limits |
        | --- | --- |
        | `node-queue` | nothing but each node's queue of 1000: OpenSearch's default |
        | `vegas`, `gradient2`, `aimd` | the searches of each gateway by Netflix's library, as OpenSearch 3.9 on a coordinating node, with its defaults. Copies are chosen as OpenSearch does |
        | `...-by-node` | the calls to each node by the same library; copies are chosen by the adaptive score |
        | `littles-law` | the calls to each node by Little's law with a target of %d ms; requests wait in the gateway |
        | `default` | the gateway's default |

        p50 and p99 are those of the admitted searches. "In time" is the share of all searches that
        succeeded within 1 s. The library's Vegas draws random numbers of its own, so that its figures
        vary a little from run to run.
        """
            .formatted(seeds, AdmissionStrategy.TARGET.toMillis()));
    page.append(table).append("\n## Targets of `default`\n\n");
    page.append("| scenario | what | bound | value |\n| --- | --- | --- | --- |\n");
    for (OverloadTargets.Verdict verdict : verdicts) {
      page.append(
          String.format(
              Locale.ROOT,
              "| %s | %s | at %s %.3f | %.3f |%n",
              verdict.scenario(),
              verdict.what(),
              verdict.isMinimum() ? "least" : "most",
              verdict.bound(),
              verdict.value()));
    }
    return page.toString();
  }
}
