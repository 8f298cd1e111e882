package dev.weir.bench;

import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/** Runs what JMH measures, in a JVM of its own: time, and bytes allocated. */
public final class JmhRunner {
  private JmhRunner() {}

  /**
   * Measures all benchmarks of a class.
   *
   * @param seconds of measuring each
   * @param parameter one of the class's
   * @param value its only one; empty for all that the class names
   */
  public static void run(Class<?> benchmarks, int seconds, String parameter, String value)
      throws RunnerException {
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .include(benchmarks.getName() + "\\.")
            .forks(1)
            .warmupIterations(2)
            .warmupTime(TimeValue.seconds(2))
            .measurementIterations(seconds)
            .measurementTime(TimeValue.seconds(1))
            .addProfiler(GCProfiler.class);
    if (!value.isEmpty()) {
      options.param(parameter, value);
    }
    new Runner(options.build()).run();
  }
}
