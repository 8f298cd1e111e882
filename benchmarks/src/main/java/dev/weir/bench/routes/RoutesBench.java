package dev.weir.bench.routes;

import dev.weir.bench.JmhRunner;
import java.util.concurrent.Callable;
import org.openjdk.jmh.runner.RunnerException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./weir bench routes}: what finding a route costs. */
@Command(
    name = "routes",
    description = "What finding a request's route among 1000 costs: time and bytes allocated (JMH)")
public final class RoutesBench implements Callable<Integer> {
  @Option(names = "--shape", description = "only this one")
  private String shape = "";

  @Option(names = "--seconds", description = "of measuring each (5)")
  private int seconds = 5;

  @Override
  public Integer call() throws RunnerException {
    JmhRunner.run(RouteMatchingBenchmark.class, seconds, "shape", shape);
    return 0;
  }
}
