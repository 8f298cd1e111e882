package dev.weir.bench.restart;

import dev.weir.bench.BenchCluster;
import dev.weir.bench.BenchClusters;
import dev.weir.bench.BenchIndexes;
import dev.weir.bench.EndpointMeasurement;
import dev.weir.bench.MeasuredEndpoint;
import dev.weir.bench.MeasuredGateway;
import dev.weir.bench.OpenLoopLoad;
import dev.weir.bench.ResultChecks;
import dev.weir.bench.WarmUp;
import dev.weir.bench.Workload;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.GatewayChildProcess;
import dev.weir.testkit.process.ScratchFolder;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Measures what clients notice when all data nodes restart, by {@code weir rolling-restart} and,
 * for contrast, by restarts of nodes that are not drained.
 */
@Command(
    name = "rolling-restart",
    description = "latency, failed requests and lost writes while all data nodes restart")
public final class RollingRestartBench implements Callable<Integer> {
  private static final double DEADLINE_SECONDS = 30;
  private static final double MAX_P99 = 1.3;
  private static final double SLICE_SECONDS = 5;
  private static final double WARM_UP_SLICE_SECONDS = 5;
  private static final int WARM_UP_CLIENTS = 4;

  @Option(names = "--rate", description = "searches a second (default: ${DEFAULT-VALUE})")
  private double rate = 50;

  @Option(names = "--calm", description = "seconds of load before (default: ${DEFAULT-VALUE})")
  private double calmSeconds = 60;

  @Option(names = "--ramp", description = "seconds of a node's ramp (default: ${DEFAULT-VALUE})")
  private int rampSeconds = 30;

  @Option(names = "--documents", description = "documents searched (default: ${DEFAULT-VALUE})")
  private int documents = 20_000;

  @Option(
      names = "--warm-up",
      description = "the most seconds of load before all (default: ${DEFAULT-VALUE})")
  private double warmUp = 360;

  @Option(
      names = "--low-priority",
      description =
          "start nodes at the lowest priority, as if on machines of their own; needs root")
  private boolean lowPriority;

  private final PrintStream out = System.out;
  private final ResultChecks checks = new ResultChecks(out);
  private final BenchClusters clusters;

  public RollingRestartBench(BenchClusters clusters) {
    this.clusters = clusters;
  }

  /** What is to be measured under load. */
  private interface Work {
    void run() throws Exception;
  }

  @Override
  public Integer call() throws Exception {
    try (BenchClusters.Lease lease = clusters.lease(BenchCluster.spec(out))) {
      DataNodeCluster cluster = lease.cluster();
      List<DataNode> nodes = cluster.nodes().subList(0, 3);
      BenchIndexes.load(new InetSocketAddress("127.0.0.1", nodes.getFirst().httpPort()), documents);
      cluster.awaitGreen();
      try (ScratchFolder scratch = ScratchFolder.create("weir-restart-");
          MeasuredGateway gateway = MeasuredGateway.start(cluster.seeds());
          RestartScript script = new RestartScript(scratch.path(), nodes, this::restart)) {
        new WarmUp(out, WARM_UP_SLICE_SECONDS, warmUp)
            .run(
                "searches",
                List.of("gateway"),
                (i, length) ->
                    EndpointMeasurement.warmUpRound(
                        new MeasuredEndpoint("gateway", gateway.address(), gateway.pid()),
                        Workload.search(10),
                        nodes.stream().map(DataNode::pid).toList(),
                        WARM_UP_CLIENTS,
                        length));
        out.printf(
            "%n%-16s %12s %12s %7s %9s %14s %12s%n",
            "restart", "calm p99 ms", "p99 ms", "ratio", "failed", "failed bulks", "s a node");
        double ratio =
            measure(
                "drained",
                gateway,
                nodes.size(),
                () -> rollingRestart(cluster, gateway, scratch.path(), script));
        checks.checkAtMost("drained", "p99, of that before", ratio, MAX_P99);
        measure(
            "not drained",
            gateway,
            nodes.size(),
            () -> {
              for (DataNode node : nodes) {
                restart(node);
                cluster.awaitGreen();
              }
            });
      }
    }
    checks.print();
    return checks.exitCode();
  }

  private void restart(DataNode node) throws IOException, InterruptedException {
    node.stop();
    if (lowPriority) {
      node.startAtLowPriority();
    } else {
      node.start();
    }
  }

  private void rollingRestart(
      DataNodeCluster cluster, MeasuredGateway gateway, Path folder, RestartScript script)
      throws IOException {
    Path config = folder.resolve("weir.yaml");
    String seeds =
        cluster.seeds().stream().map(seed -> '"' + seed + '"').collect(Collectors.joining(", "));
    Files.writeString(config, "clusters: {main: {seeds: [" + seeds + "]}}\n");
    Path log = folder.resolve("command.log");
    int status =
        GatewayChildProcess.run(
            log,
            "rolling-restart",
            "--config",
            config.toString(),
            "--gateway",
            "http://127.0.0.1:" + gateway.address().getPort(),
            "--admin",
            "http://127.0.0.1:" + gateway.adminAddress().getPort(),
            "--exec",
            script.command(),
            "--ramp",
            rampSeconds + "s");
    if (status != 0) {
      throw new IOException("rolling-restart ended with " + status + ": " + Files.readString(log));
    }
  }

  /** Returns the p99 during the work, of that before. */
  private double measure(String name, MeasuredGateway gateway, int nodes, Work work)
      throws Exception {
    BenchIndexes.emptyWriteIndex(gateway.address(), new BenchIndexes.Layout(3, 1));
    try (SteadyWriter writer = new SteadyWriter(gateway.address())) {
      OpenLoopLoad.Result calm = search(gateway, calmSeconds);
      Histogram during = new Histogram(3);
      long failed = 0;
      long began = System.nanoTime();
      CompletableFuture<Void> working =
          CompletableFuture.runAsync(
              () -> {
                try {
                  work.run();
                } catch (Exception e) {
                  throw new IllegalStateException(e);
                }
              },
              task -> Thread.ofPlatform().name("restarts").daemon().start(task));
      while (!working.isDone()) {
        OpenLoopLoad.Result slice = search(gateway, Math.min(SLICE_SECONDS, calmSeconds));
        during.add(slice.successes());
        failed += slice.offered() - slice.onTime();
      }
      double seconds = (System.nanoTime() - began) / 1e9;
      working.join();
      long lost = writer.stopAndCountLost();
      double p99 = during.getValueAtPercentile(99) / 1000.0;
      double ratio = p99 / calm.millis(99);
      out.printf(
          "%-16s %12.1f %12.1f %7.2f %9d %14d %12.1f%n",
          name, calm.millis(99), p99, ratio, failed, writer.failed(), seconds / nodes);
      checks.checkAtMost(name, "acknowledged documents lost", (double) lost, 0);
      if (name.equals("drained")) {
        checks.checkAtMost(name, "searches failed", (double) failed, 0);
        checks.checkAtMost(name, "bulks failed", (double) writer.failed(), 0);
      }
      return ratio;
    }
  }

  private OpenLoopLoad.Result search(MeasuredGateway gateway, double seconds) {
    return OpenLoopLoad.run(
        List.of(gateway.address()),
        Workload.search(10),
        new OpenLoopLoad.LoadSchedule(rate, 0, seconds),
        DEADLINE_SECONDS);
  }
}
