package dev.weir.bench.selection;

import dev.weir.bench.JmhRunner;
import java.util.concurrent.Callable;
import org.openjdk.jmh.runner.RunnerException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./weir bench selection}: what a choice costs. */
@Command(
    name = "selection",
    description = "What putting three copies in order costs: time and bytes allocated (JMH)")
public final class SelectionBench implements Callable<Integer> {
  @Option(names = "--policy", description = "only this one")
  private String policy = "";

  @Option(names = "--seconds", description = "of measuring each (5)")
  private int seconds = 5;

  @Override
  public Integer call() throws RunnerException {
    JmhRunner.run(CopySelectionBenchmark.class, seconds, "policy", policy);
    return 0;
  }
}
