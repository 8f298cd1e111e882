package dev.weir.bench.cli;

import dev.weir.bench.CoordinateBench;
import dev.weir.bench.bulk.BulkBench;
import dev.weir.bench.hotnode.HotNodeBench;
import dev.weir.bench.minting.MintingBench;
import dev.weir.bench.overload.OverloadBench;
import dev.weir.bench.responses.ResponsesBench;
import dev.weir.bench.routes.RoutesBench;
import dev.weir.bench.selection.SelectionBench;
import dev.weir.bench.simulation.SimulateBench;
import dev.weir.bench.traffic.TrafficBench;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The benchmarks' command line: {@code ./weir bench NAME}. */
@Command(
    name = "bench",
    description =
        "System benchmarks beside peers, on real data nodes; and choosing the copy by itself",
    subcommands = {
      BulkBench.class,
      CoordinateBench.class,
      HotNodeBench.class,
      MintingBench.class,
      OverloadBench.class,
      ResponsesBench.class,
      RoutesBench.class,
      SelectionBench.class,
      SimulateBench.class,
      TrafficBench.class
    },
    synopsisSubcommandLabel = "NAME")
public final class BenchMain implements Runnable {
  private final CommandLine commandLine = new CommandLine(this);

  private BenchMain() {}

  /** Runs a benchmark; without a name lists them. */
  public static void main(String[] arguments) {
    System.exit(new BenchMain().commandLine.execute(arguments));
  }

  @Override
  public void run() {
    commandLine.usage(System.out);
  }
}
