package dev.weir.bench.restart;

import dev.weir.bench.BenchCluster;
import dev.weir.bench.BenchClusters;
import dev.weir.bench.BenchIndexes;
import dev.weir.bench.MeasuredGateway;
import dev.weir.bench.ResultChecks;
import dev.weir.testkit.ClusterSpec;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.process.ProcessPriority;
import dev.weir.testkit.process.ScratchFolder;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Measures what clients notice when all data nodes restart, by a rolling restart and, for contrast,
 * by restarts of nodes that are not drained.
 */
@Command(
    name = "rolling-restart",
    description = "latency, failed requests and lost writes while all data nodes restart")
public final class RollingRestartBench implements Callable<Integer> {
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

  @Option(
      names = "--other-cluster",
      description =
          "also restart a node of another cluster as often, to see what sharing a machine costs")
  private boolean otherCluster;

  private final PrintStream out = System.out;
  private final ResultChecks checks = new ResultChecks(out);
  private final BenchClusters clusters;

  public RollingRestartBench(BenchClusters clusters) {
    this.clusters = clusters;
  }

  @Override
  public Integer call() throws Exception {
    if (lowPriority) {
      ProcessPriority.requireRestore();
    }
    try (BenchClusters.Lease lease = clusters.lease(BenchCluster.spec(out))) {
      DataNodeCluster cluster = lease.cluster();
      List<DataNode> nodes = cluster.nodes().subList(0, 3);
      BenchIndexes.load(new InetSocketAddress("127.0.0.1", nodes.getFirst().httpPort()), documents);
      cluster.awaitGreen();
      try (ScratchFolder scratch = ScratchFolder.create("weir-restart-");
          NodeCommandScript script = new NodeCommandScript(scratch.path(), nodes, this::restart);
          MeasuredGateway gateway =
              MeasuredGateway.start(cluster.seeds(), OperationCall.section(script));
          OperationCall operation = new OperationCall(gateway)) {
        ClientLoad load = new ClientLoad(gateway, rate, calmSeconds);
        load.warmUp(out, nodes.stream().map(DataNode::pid).toList(), warmUp);
        OutcomeTable table = new OutcomeTable(out, checks, "restart", nodes.size());
        table.printHead();
        ClientLoad.Outcome drained =
            load.measure(() -> operation.run("rolling-restart?ramp=" + rampSeconds + "s"));
        table.printBounded("drained", drained);
        table.print(
            "not drained",
            load.measure(() -> {
              for (DataNode node : nodes) {
                restart(node);
                cluster.awaitGreen();
              }
            }));
        if (otherCluster) {
          measureBesideOtherCluster(load, table, drained, nodes.size());
        }
      }
    }
    checks.print();
    return checks.exitCode();
  }

  /**
   * Restarts a node that the clients do not use, each time in as long as the drained restart of a
   * node took. What they notice of it is because all processes share a machine.
   */
  private void measureBesideOtherCluster(
      ClientLoad load, OutcomeTable table, ClientLoad.Outcome drained, int restarts)
      throws Exception {
    long nanosEach = (long) (drained.seconds() * 1e9 / restarts);
    ClusterSpec spec =
        ClusterSpec.ofNodes(1)
            .withName("weir-bench-other")
            .mapNodes(node -> node.withHeap("1g"))
            .withoutPlugin()
            .withoutAotCache();
    try (BenchClusters.Lease lease = clusters.lease(spec)) {
      DataNode node = lease.cluster().node(0);
      ClientLoad.Outcome outcome =
          load.measure(() -> {
            for (int i = 0; i < restarts; i++) {
              long end = System.nanoTime() + nanosEach;
              restart(node);
              TimeUnit.NANOSECONDS.sleep(end - System.nanoTime());
            }
          });
      table.print("another cluster", outcome);
    }
  }

  private void restart(DataNode node) throws IOException, InterruptedException {
    node.stop();
    if (lowPriority) {
      node.startAtLowPriority();
    } else {
      node.start();
    }
  }
}
