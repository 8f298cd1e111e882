package dev.weir.bench.routes;

import dev.weir.bench.JmhOptions;
import dev.weir.bench.ResultChecks;
import java.util.concurrent.Callable;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.RunnerException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ./weir bench routes}: measures the cost of matching a request to a route. */
@Command(
    name = "routes",
    description = "time and bytes of matching a request against 1000 routes (JMH)")
public final class RoutesBench implements Callable<Integer> {
  private static final double MAX_NANOS = 1000;

  @Option(names = "--shape", description = "only this shape of route")
  private String shape = "";

  @Mixin private final JmhOptions jmh = new JmhOptions();

  public RoutesBench() {}

  @Override
  public Integer call() throws RunnerException {
    ResultChecks checks = new ResultChecks(System.out);
    for (RunResult result : jmh.run(RouteMatchingBenchmark.class, "shape", shape)) {
      String title = JmhOptions.title(result, "shape");
      checks.checkAtMost(title, "nanoseconds", JmhOptions.nanos(result), MAX_NANOS);
    }
    checks.print();
    return checks.exitCode();
  }
}
