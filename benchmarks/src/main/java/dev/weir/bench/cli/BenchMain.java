package dev.weir.bench.cli;

import dev.weir.bench.BenchClusters;
import dev.weir.bench.CoordinateBench;
import dev.weir.bench.authorization.AuthorizationBench;
import dev.weir.bench.batches.ShardBatchesBench;
import dev.weir.bench.bulk.BulkBench;
import dev.weir.bench.bulk.PipelinesBench;
import dev.weir.bench.bulk.SingleShardBulkBench;
import dev.weir.bench.codec.CodecBench;
import dev.weir.bench.compression.CompressionBench;
import dev.weir.bench.dashboards.DashboardsBench;
import dev.weir.bench.dualwrites.DualWritesBench;
import dev.weir.bench.follow.FollowBench;
import dev.weir.bench.hostile.H2SpecBench;
import dev.weir.bench.hostile.HostileBench;
import dev.weir.bench.hostile.MutateBench;
import dev.weir.bench.hostile.OversizedSearchBench;
import dev.weir.bench.hotnode.AdaptiveSelectionBench;
import dev.weir.bench.hotnode.HotNodeBench;
import dev.weir.bench.minting.MintingBench;
import dev.weir.bench.overload.OverloadBench;
import dev.weir.bench.pruning.PruningBench;
import dev.weir.bench.responses.ColumnsBench;
import dev.weir.bench.responses.ResponsesBench;
import dev.weir.bench.responses.TrimmingBench;
import dev.weir.bench.restart.RollingRestartBench;
import dev.weir.bench.restart.WindowBench;
import dev.weir.bench.routes.RoutesBench;
import dev.weir.bench.sampling.SamplingBench;
import dev.weir.bench.secured.SecuredBench;
import dev.weir.bench.selection.SelectionBench;
import dev.weir.bench.simulation.SimulateBench;
import dev.weir.bench.simulation.SimulateOverloadBench;
import dev.weir.bench.soak.SoakBench;
import dev.weir.bench.state.StateBench;
import dev.weir.bench.stocknode.StockNodeBench;
import dev.weir.bench.traffic.TrafficBench;
import dev.weir.bench.warmup.WarmUpBench;
import java.io.PrintStream;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command line of the benchmarks: {@code ./weir bench NAME}. */
@Command(
    name = "bench",
    header = {
      "Measures Weir beside its peers: real data nodes, the same work on every path, in one run.",
      "Exit codes: 0 when every bound is met, 3 when a bound is missed, 1 when the run failed.",
      ""
    },
    synopsisSubcommandLabel = "NAME")
public final class BenchMain implements Callable<Integer> {
  private final PrintStream out = System.out;

  @Option(
      names = "--smoke",
      description = "run every benchmark for seconds, at small sizes, and judge no figure")
  private boolean smoke;

  private BenchMain() {}

  /** Runs a benchmark and exits; without a name, lists the benchmarks. */
  public static void main(String[] arguments) {
    System.exit(run(arguments));
  }

  /** Runs a benchmark; returns the exit code. */
  public static int run(String... arguments) {
    return commandLine(BenchClusters.perBenchmark()).execute(arguments);
  }

  static CommandLine commandLine(BenchClusters clusters) {
    return new CommandLine(new BenchMain())
        .addSubcommand(new AdaptiveSelectionBench(clusters))
        .addSubcommand(new AuthorizationBench())
        .addSubcommand(new BulkBench(clusters))
        .addSubcommand(new CodecBench(clusters))
        .addSubcommand(new CompressionBench(clusters))
        .addSubcommand(new ColumnsBench(clusters))
        .addSubcommand(new CoordinateBench(clusters))
        .addSubcommand(new DashboardsBench(clusters))
        .addSubcommand(new DualWritesBench(clusters))
        .addSubcommand(new FollowBench(clusters))
        .addSubcommand(new H2SpecBench(clusters))
        .addSubcommand(new HostileBench(clusters))
        .addSubcommand(new HotNodeBench(clusters))
        .addSubcommand(new MintingBench())
        .addSubcommand(new MutateBench(clusters))
        .addSubcommand(new OverloadBench(clusters))
        .addSubcommand(new OversizedSearchBench(clusters))
        .addSubcommand(new PipelinesBench(clusters))
        .addSubcommand(new PruningBench(clusters))
        .addSubcommand(new ResponsesBench(clusters))
        .addSubcommand(new RollingRestartBench(clusters))
        .addSubcommand(new WindowBench(clusters))
        .addSubcommand(new RoutesBench())
        .addSubcommand(new SamplingBench(clusters))
        .addSubcommand(new SecuredBench(clusters))
        .addSubcommand(new SelectionBench())
        .addSubcommand(new ShardBatchesBench(clusters))
        .addSubcommand(new SimulateBench())
        .addSubcommand(new SimulateOverloadBench())
        .addSubcommand(new SingleShardBulkBench(clusters))
        .addSubcommand(new SoakBench(clusters))
        .addSubcommand(new StateBench())
        .addSubcommand(new StockNodeBench(clusters))
        .addSubcommand(new TrafficBench(clusters))
        .addSubcommand(new TrimmingBench(clusters))
        .addSubcommand(new WarmUpBench(clusters));
  }

  @Override
  public Integer call() {
    if (smoke) {
      return new SmokeRun(out, 1, 0).run();
    }
    commandLine(BenchClusters.perBenchmark()).usage(out);
    return 0;
  }
}
