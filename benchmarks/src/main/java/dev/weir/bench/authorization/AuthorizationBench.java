package dev.weir.bench.authorization;

import dev.weir.bench.JmhOptions;
import dev.weir.bench.ResultChecks;
import java.util.concurrent.Callable;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.RunnerException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code ./weir bench authorization}: measures what authorization adds to a cached request. */
@Command(
    name = "authorization",
    description = "CPU time and bytes of authorizing a search whose user is cached (JMH)")
public final class AuthorizationBench implements Callable<Integer> {
  private static final double MAX_NANOS = 20_000;

  @Mixin private final JmhOptions jmh = new JmhOptions();

  public AuthorizationBench() {}

  @Override
  public Integer call() throws RunnerException {
    ResultChecks checks = new ResultChecks(System.out);
    for (RunResult result : jmh.run(AuthorizationBenchmark.class, "expression", "")) {
      String title = JmhOptions.title(result, "expression");
      checks.checkAtMost(title, "nanoseconds", JmhOptions.nanos(result), MAX_NANOS);
      System.out.printf("%s: %.0f bytes%n", title, JmhOptions.allocatedBytes(result));
    }
    checks.print();
    return checks.exitCode();
  }
}
