package dev.weir.bench.selection;

import dev.weir.bench.JmhOptions;
import dev.weir.bench.ResultChecks;
import java.util.concurrent.Callable;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.RunnerException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ./weir bench selection}: measures the cost of ranking the copies of a shard. */
@Command(
    name = "selection",
    description = "time and bytes of ranking the three copies of a shard (JMH)")
public final class SelectionBench implements Callable<Integer> {
  private static final double MAX_NANOS = 1000;

  /** The profiler counts some bytes of JMH itself in each run; a ranking allocates none. */
  private static final double MAX_BYTES = 1;

  @Option(names = "--policy", description = "only this selection policy")
  private String policy = "";

  @Mixin private final JmhOptions jmh = new JmhOptions();

  public SelectionBench() {}

  @Override
  public Integer call() throws RunnerException {
    ResultChecks checks = new ResultChecks(System.out);
    for (RunResult result : jmh.run(CopySelectionBenchmark.class, "policy", policy)) {
      String title = JmhOptions.title(result, "policy");
      checks.checkAtMost(title, "nanoseconds", JmhOptions.nanos(result), MAX_NANOS);
      if (title.startsWith("order")) {
        checks.checkAtMost(title, "bytes", JmhOptions.allocatedBytes(result), MAX_BYTES);
      }
    }
    checks.print();
    return checks.exitCode();
  }
}
