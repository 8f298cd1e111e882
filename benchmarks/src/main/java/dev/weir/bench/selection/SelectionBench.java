package dev.weir.bench.selection;

import java.util.concurrent.Callable;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
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
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .include(Selection.class.getName())
            .forks(1)
            .warmupIterations(2)
            .warmupTime(TimeValue.seconds(2))
            .measurementIterations(seconds)
            .measurementTime(TimeValue.seconds(1))
            .addProfiler(GCProfiler.class);
    if (!policy.isEmpty()) {
      options.param("policy", policy);
    }
    new Runner(options.build()).run();
    return 0;
  }
}
