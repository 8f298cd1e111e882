package dev.weir.bench;

import java.util.Collection;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import picocli.CommandLine.Option;

/**
 * Runs JMH benchmarks, which measure time and allocated bytes. The command line options that these
 * commands share.
 */
public final class JmhOptions {
  private static final String ALLOCATED_BYTES = "gc.alloc.rate.norm";

  @Option(
      names = "--seconds",
      description = "seconds of measuring each (default: ${DEFAULT-VALUE})")
  private double seconds = 5;

  @Option(
      names = "--warm-up",
      description = "seconds before measuring each (default: ${DEFAULT-VALUE})")
  private double warmUp = 4;

  @Option(
      names = "--forks",
      description = "JVMs that measure each; 0: in this JVM (default: ${DEFAULT-VALUE})")
  private int forks = 1;

  public JmhOptions() {}

  /**
   * Runs all benchmarks of a class.
   *
   * @param parameter a parameter of the class
   * @param value its only value; empty for all values that the class declares
   */
  public Collection<RunResult> run(Class<?> benchmarks, String parameter, String value)
      throws RunnerException {
    int iterations = (int) Math.max(1, Math.round(seconds));
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .include(benchmarks.getName() + "\\.")
            .forks(forks)
            .warmupIterations(1)
            .warmupTime(millis(warmUp))
            .measurementIterations(iterations)
            .measurementTime(millis(seconds / iterations))
            .addProfiler(GCProfiler.class);
    if (!value.isEmpty()) {
      options.param(parameter, value);
    }
    return new Runner(options.build()).run();
  }

  private static TimeValue millis(double seconds) {
    return TimeValue.milliseconds(Math.max(1, Math.round(seconds * 1000)));
  }

  /** Returns the name of a benchmark with its parameter, for {@link ResultChecks}. */
  public static String title(RunResult result, String parameter) {
    String name = result.getParams().getBenchmark();
    return name.substring(name.lastIndexOf('.') + 1)
        + ", "
        + result.getParams().getParam(parameter);
  }

  /** Returns the nanoseconds of an operation. */
  public static double nanos(RunResult result) {
    return result.getPrimaryResult().getScore();
  }

  /** Returns the heap bytes that an operation allocates. */
  public static double allocatedBytes(RunResult result) {
    Result<?> bytes = result.getSecondaryResults().get(ALLOCATED_BYTES);
    return bytes == null ? Double.NaN : bytes.getScore();
  }
}
