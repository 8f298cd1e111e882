package dev.weir.bench.minting;

import dev.weir.bench.JmhOptions;
import dev.weir.bench.ResultChecks;
import java.util.concurrent.Callable;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.RunnerException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ./weir bench minting}: measures the cost of an id that belongs to a chosen shard. */
@Command(
    name = "minting",
    description = "time and bytes of minting a document id for a chosen shard (JMH)")
public final class MintingBench implements Callable<Integer> {
  private static final double MAX_NANOS = 1000;

  @Option(names = "--shards", description = "only an index with this number of primary shards")
  private String shards = "";

  @Mixin private final JmhOptions jmh = new JmhOptions();

  public MintingBench() {}

  @Override
  public Integer call() throws RunnerException {
    ResultChecks checks = new ResultChecks(System.out);
    for (RunResult result : jmh.run(IdMintingBenchmark.class, "shards", shards)) {
      String title = JmhOptions.title(result, "shards");
      checks.checkAtMost(title, "nanoseconds", JmhOptions.nanos(result), MAX_NANOS);
    }
    checks.print();
    return checks.exitCode();
  }
}
