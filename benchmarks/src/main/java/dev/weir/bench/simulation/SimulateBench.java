package dev.weir.bench.simulation;

import dev.weir.bench.ResultChecks;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code ./weir bench simulate}: runs every selection strategy in every scenario, in virtual time.
 */
@Command(
    name = "simulate",
    description =
        "replica selection in virtual time: every policy and an oracle, in every scenario")
public final class SimulateBench implements Callable<Integer> {
  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = "--scenario",
      split = ",",
      description = "only these scenarios; 'list' lists them")
  private List<String> scenarios = List.of();

  @Option(names = "--policy", split = ",", description = "only these policies")
  private List<String> policies = List.of();

  @Option(
      names = "--seeds",
      description = "runs of each, with different random numbers (default: ${DEFAULT-VALUE})")
  private int seeds = 5;

  @Option(names = "--out", description = "write a table and plots to this folder")
  private @Nullable Path out;

  @Override
  public Integer call() throws IOException {
    PrintStream console = System.out;
    if (scenarios.contains("list")) {
      ScenarioCatalogue.all()
          .forEach(one -> console.printf("%-16s %s%n", one.name(), one.description()));
      return 0;
    }
    List<SimulationScenario> chosen = chosenScenarios();
    List<SelectionStrategy> ways = chosenStrategies();
    SimulationResults results = new SimulationResults();
    for (SimulationScenario scenario : chosen) {
      console.printf(
          "%n%s: %s; gateways: %d%n",
          scenario.name(), scenario.description(), scenario.cluster().gateways());
      ConsoleTable.printHeader(console);
      for (SelectionStrategy way : ways) {
        if (!way.isApplicable(scenario)) {
          continue;
        }
        long began = System.nanoTime();
        StrategyResult measured = results.run(scenario, way, seeds);
        ConsoleTable.printRow(console, way, measured, (System.nanoTime() - began) / 1e9);
      }
    }
    List<PerformanceTargets.TargetResult> verdicts = PerformanceTargets.check(results);
    console.println();
    verdicts.stream()
        .map(PerformanceTargets.TargetResult::format)
        .filter(Objects::nonNull)
        .forEach(console::println);
    if (out != null) {
      SimulationReport.write(out, results, verdicts, seeds);
      console.println("written to " + out);
    }
    return verdicts.stream().allMatch(PerformanceTargets.TargetResult::isAccepted)
        ? 0
        : ResultChecks.BOUND_MISSED;
  }

  private List<SimulationScenario> chosenScenarios() {
    List<SimulationScenario> all = ScenarioCatalogue.all();
    for (String name : scenarios) {
      if (all.stream().noneMatch(one -> one.name().equals(name))) {
        throw unknown("scenario", name, all.stream().map(SimulationScenario::name).toList());
      }
    }
    return scenarios.isEmpty()
        ? all
        : all.stream().filter(one -> scenarios.contains(one.name())).toList();
  }

  private List<SelectionStrategy> chosenStrategies() {
    List<String> labels =
        Arrays.stream(SelectionStrategy.values()).map(SelectionStrategy::label).toList();
    for (String name : policies) {
      if (!labels.contains(name.toLowerCase(Locale.ROOT))) {
        throw unknown("policy", name, labels);
      }
    }
    return Arrays.stream(SelectionStrategy.values())
        .filter(way -> policies.isEmpty() || policies.contains(way.label()))
        .toList();
  }

  private ParameterException unknown(String what, String name, List<String> known) {
    CommandLine line = spec == null ? new CommandLine(this) : spec.commandLine();
    return new ParameterException(
        line,
        "got the %s '%s' (expected: one of %s)"
            .formatted(what, name, known.stream().collect(Collectors.joining(", "))));
  }
}
