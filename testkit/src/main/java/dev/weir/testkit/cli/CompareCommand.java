package dev.weir.testkit.cli;

import dev.weir.testkit.compare.ComparisonReport;
import dev.weir.testkit.compare.ComparisonScenario;
import dev.weir.testkit.compare.CorpusReader;
import dev.weir.testkit.compare.EndpointComparer;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs corpora of requests against two endpoints; the exit status is 1 when answers differ. */
@Command(
    name = "weir compare",
    description = "Sends the same requests to a node and to the gateway and shows what differs.",
    mixinStandardHelpOptions = true)
public final class CompareCommand implements Callable<Integer> {
  @Option(names = "--reference", required = true, paramLabel = "URL", description = "A node.")
  private @Nullable URI reference;

  @Option(names = "--candidate", required = true, paramLabel = "URL", description = "The gateway.")
  private @Nullable URI candidate;

  @Option(
      names = "--scenario",
      paramLabel = "TEXT",
      description = "Runs only scenarios whose name contains it.")
  private String part = "";

  @Parameters(arity = "1..*", paramLabel = "FILE", description = "Corpora of requests.")
  private List<Path> files = List.of();

  public static void main(String[] args) {
    CommandRunner.runAndExit(new CompareCommand(), args);
  }

  @Override
  public Integer call() {
    if (reference == null || candidate == null) {
      throw new IllegalArgumentException("got no endpoints (expected: two URLs)");
    }
    List<ComparisonScenario> scenarios =
        files.stream()
            .flatMap(file -> CorpusReader.readFile(file).stream())
            .filter(scenario -> scenario.name().contains(part))
            .toList();
    ComparisonReport report =
        new EndpointComparer(reference, candidate, new Random()).run(scenarios);
    System.out.println(report);
    return report.findings().isEmpty() ? 0 : 1;
  }
}
