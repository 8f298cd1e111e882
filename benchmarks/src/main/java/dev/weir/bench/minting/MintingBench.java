package dev.weir.bench.minting;

import dev.weir.bench.JmhRunner;
import java.util.concurrent.Callable;
import org.openjdk.jmh.runner.RunnerException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./weir bench minting}: what an id costs. */
@Command(
    name = "minting",
    description = "What an id that belongs to a chosen shard costs: time and bytes (JMH)")
public final class MintingBench implements Callable<Integer> {
  @Option(names = "--shards", description = "only an index of so many")
  private String shards = "";

  @Option(names = "--seconds", description = "of measuring each (default: ${DEFAULT-VALUE})")
  private int seconds = 5;

  /** For the command line. */
  public MintingBench() {}

  @Override
  public Integer call() throws RunnerException {
    JmhRunner.run(IdMintingBenchmark.class, seconds, "shards", shards);
    return 0;
  }
}
