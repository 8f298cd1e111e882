package dev.weir.bench.simulation;

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

/** {@code ./weir bench simulate}: every way to choose a copy in every scenario, in virtual time. */
@Command(
    name = "simulate",
    description =
        "Choosing the copy in virtual time: every policy, and an oracle, in each scenario")
public final class SimulateBench implements Callable<Integer> {
  @Spec private @Nullable CommandSpec spec;

  @Option(names = "--scenario", split = ",", description = "only these; 'list' shows them")
  private List<String> scenarios = List.of();

  @Option(names = "--policy", split = ",", description = "only these")
  private List<String> policies = List.of();

  @Option(names = "--seeds", description = "runs of each, with other chances (5)")
  private int seeds = 5;

  @Option(names = "--out", description = "a folder for a table and plots")
  private @Nullable Path out;

  @Override
  public Integer call() throws IOException {
    PrintStream console = System.out;
    if (scenarios.contains("list")) {
      Scenarios.all().forEach(one -> console.printf("%-16s %s%n", one.name(), one.what()));
      return 0;
    }
    List<Scenario> chosen = chosenScenarios();
    List<Way> ways = chosenWays();
    Results results = new Results();
    for (Scenario scenario : chosen) {
      console.printf(
          "%n%s: %s; gateways: %d%n",
          scenario.name(), scenario.what(), scenario.cluster().gateways());
      ConsoleTable.head(console);
      for (Way way : ways) {
        if (!way.fits(scenario)) {
          continue;
        }
        long began = System.nanoTime();
        Measured measured = results.run(scenario, way, seeds);
        ConsoleTable.row(console, way, measured, (System.nanoTime() - began) / 1e9);
      }
    }
    List<Targets.Verdict> verdicts = Targets.check(results);
    console.println();
    verdicts.stream().map(Targets.Verdict::line).filter(Objects::nonNull).forEach(console::println);
    if (out != null) {
      Report.write(out, results, verdicts, seeds);
      console.println("written to " + out);
    }
    return 0;
  }

  private List<Scenario> chosenScenarios() {
    List<Scenario> all = Scenarios.all();
    for (String name : scenarios) {
      if (all.stream().noneMatch(one -> one.name().equals(name))) {
        throw unknown("scenario", name, all.stream().map(Scenario::name).toList());
      }
    }
    return scenarios.isEmpty()
        ? all
        : all.stream().filter(one -> scenarios.contains(one.name())).toList();
  }

  private List<Way> chosenWays() {
    List<String> labels = Arrays.stream(Way.values()).map(Way::label).toList();
    for (String name : policies) {
      if (!labels.contains(name.toLowerCase(Locale.ROOT))) {
        throw unknown("policy", name, labels);
      }
    }
    return Arrays.stream(Way.values())
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
