package dev.weir.bench.state;

import dev.weir.bench.JmhOptions;
import dev.weir.bench.ResultChecks;
import java.io.IOException;
import java.io.PrintStream;
import java.util.Map;
import java.util.concurrent.Callable;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.RunnerException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ./weir bench state}: measures following a large cluster, from responses in memory. */
@Command(
    name = "state",
    description =
        "reading the state of a large cluster and its changes, and resolving names (JMH, heap,"
            + " soak)")
public final class StateBench implements Callable<Integer> {
  private static final String SIZE = "size";
  private static final String EXPRESSION = "expression";

  /** The size at which the bounds of time and bytes hold: 25,000 shards with a replica each. */
  private static final String BOUNDED_SIZE = "5000x5x1@50";

  private static final double MAX_CHANGE_NANOS = 50_000;
  private static final double MAX_CHANGE_BYTES = 64 << 10;
  private static final double MAX_LOAD_NANOS = 1e9;
  private static final double MAX_RESOLUTION_NANOS = 100_000;
  private static final double MAX_HEAP_GROWTH = 1.1;
  private static final double NANOS_PER_MILLI = 1e6;
  private static final Map<String, Double> MAX_NANOS =
      Map.of("applyMovedShard", MAX_CHANGE_NANOS, "load", MAX_LOAD_NANOS);

  @Option(names = "--size", description = "only this size: indices x shards x replicas @ nodes")
  private String size = "";

  @Option(names = "--expression", description = "only this expression of names")
  private String expression = "";

  @Option(
      names = "--soak",
      description = "seconds of changes, each read and applied (default: ${DEFAULT-VALUE})")
  private double soakSeconds = 60;

  @Mixin private final JmhOptions jmh = new JmhOptions();

  private final PrintStream out = System.out;
  private final ResultChecks checks = new ResultChecks(out);

  public StateBench() {}

  @Override
  public Integer call() throws RunnerException, IOException {
    for (RunResult result : jmh.run(ClusterStateBenchmark.class, SIZE, size)) {
      check(result);
    }
    for (RunResult result : jmh.run(NameResolutionBenchmark.class, EXPRESSION, expression)) {
      String title = JmhOptions.title(result, EXPRESSION);
      checks.checkAtMost(title, "nanoseconds", JmhOptions.nanos(result), MAX_RESOLUTION_NANOS);
    }
    measureHeap();
    checks.print();
    return checks.exitCode();
  }

  private void check(RunResult result) {
    String title = JmhOptions.title(result, SIZE);
    String benchmark = title.substring(0, title.indexOf(','));
    double nanos = JmhOptions.nanos(result);
    double bytes = JmhOptions.allocatedBytes(result);
    Double bound = MAX_NANOS.get(benchmark);
    if (bound != null && result.getParams().getParam(SIZE).equals(BOUNDED_SIZE)) {
      checks.checkAtMost(title, "nanoseconds", nanos, bound);
      if (bound == MAX_CHANGE_NANOS) {
        checks.checkAtMost(title, "bytes", bytes, MAX_CHANGE_BYTES);
      }
    }
    out.printf("%s: %.3f ms, %.1f KB%n", title, nanos / NANOS_PER_MILLI, bytes / 1024);
  }

  private void measureHeap() throws IOException {
    StateSoak soak = StateSoak.load(size.isEmpty() ? BOUNDED_SIZE : size);
    soak.printSize(out);
    double growth = soak.run(soakSeconds, out);
    checks.checkAtMost("soak", "heap, of that at the beginning", growth, MAX_HEAP_GROWTH);
  }
}
