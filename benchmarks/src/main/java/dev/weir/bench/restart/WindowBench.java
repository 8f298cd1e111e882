package dev.weir.bench.restart;

import dev.weir.bench.BenchCluster;
import dev.weir.bench.BenchClusters;
import dev.weir.bench.BenchIndexes;
import dev.weir.bench.MeasuredGateway;
import dev.weir.bench.ResultChecks;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.process.ScratchFolder;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Measures what clients notice of maintenance that slows a node down, such as {@code fstrim}:
 * within a maintenance window, and for contrast without one. The node is stopped for 40 ms of every
 * 50 ms, as one whose disk is busy.
 */
@Command(
    name = "window",
    description = "latency while maintenance slows a node, in a maintenance window and without")
public final class WindowBench implements Callable<Integer> {
  private static final Duration PERIOD = Duration.ofMillis(50);
  private static final double STOPPED = 0.8;

  @Option(names = "--rate", description = "searches a second (default: ${DEFAULT-VALUE})")
  private double rate = 50;

  @Option(names = "--calm", description = "seconds of load before (default: ${DEFAULT-VALUE})")
  private double calmSeconds = 60;

  @Option(
      names = "--maintenance",
      description = "seconds of maintenance (default: ${DEFAULT-VALUE})")
  private double maintenanceSeconds = 60;

  @Option(names = "--ramp", description = "seconds of the node's ramp (default: ${DEFAULT-VALUE})")
  private int rampSeconds = 5;

  @Option(names = "--rounds", description = "alternately (default: ${DEFAULT-VALUE})")
  private int rounds = 2;

  @Option(names = "--documents", description = "documents searched (default: ${DEFAULT-VALUE})")
  private int documents = 20_000;

  @Option(
      names = "--warm-up",
      description = "the most seconds of load before all (default: ${DEFAULT-VALUE})")
  private double warmUp = 360;

  private final PrintStream out = System.out;
  private final ResultChecks checks = new ResultChecks(out);
  private final BenchClusters clusters;

  public WindowBench(BenchClusters clusters) {
    this.clusters = clusters;
  }

  @Override
  public Integer call() throws Exception {
    try (BenchClusters.Lease lease = clusters.lease(BenchCluster.spec(out))) {
      DataNodeCluster cluster = lease.cluster();
      List<DataNode> nodes = cluster.nodes().subList(0, 3);
      BenchIndexes.load(new InetSocketAddress("127.0.0.1", nodes.getFirst().httpPort()), documents);
      cluster.awaitGreen();
      try (ScratchFolder scratch = ScratchFolder.create("weir-window-");
          NodeCommandScript script = new NodeCommandScript(scratch.path(), nodes, this::maintain);
          MeasuredGateway gateway =
              MeasuredGateway.start(cluster.seeds(), OperationCall.section(script));
          OperationCall operation = new OperationCall(gateway)) {
        ClientLoad load = new ClientLoad(gateway, rate, calmSeconds);
        load.warmUp(out, nodes.stream().map(DataNode::pid).toList(), warmUp);
        OutcomeTable table = new OutcomeTable(out, checks, "maintenance", 1);
        table.printHead();
        DataNode node = nodes.get(1);
        String window = "window?node=" + node.name() + "&ramp=" + rampSeconds + "s";
        for (int round = 1; round <= rounds; round++) {
          table.print("no window, round " + round, load.measure(() -> maintain(node)));
          table.printBounded("window, round " + round, load.measure(() -> operation.run(window)));
        }
      }
    }
    checks.print();
    return checks.exitCode();
  }

  private void maintain(DataNode node) throws InterruptedException {
    node.throttle(PERIOD, STOPPED);
    try {
      Thread.sleep(Duration.ofMillis(Math.round(maintenanceSeconds * 1000)));
    } finally {
      node.resume();
    }
  }
}
