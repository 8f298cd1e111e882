package dev.weir.bench.overload;

import dev.weir.bench.BenchIndexes;
import dev.weir.bench.Load;
import dev.weir.bench.MeasuredGateway;
import dev.weir.bench.OpenLoad;
import dev.weir.bench.Workload;
import dev.weir.testkit.ClusterSpec;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.DataNodes;
import dev.weir.testkit.NodeSpec;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures what is left of each path's work when more is asked for than the cluster can do. */
@Command(
    name = "overload",
    description = "More than the cluster can do, and requests that are too big: who still answers")
public final class OverloadBench implements Callable<Integer> {
  private static final List<Double> LEVELS = List.of(0.8, 1.5, 3.0);

  @Option(names = "--seconds", description = "length of a round (default: ${DEFAULT-VALUE})")
  private double seconds = 8;

  @Option(
      names = "--settle",
      description = "seconds under the load before each round (default: ${DEFAULT-VALUE})")
  private double settle = 4;

  @Option(names = "--warm-up", description = "seconds for each path (default: ${DEFAULT-VALUE})")
  private double warmUp = 10;

  @Option(
      names = "--clients",
      description = "clients that find the peak (default: ${DEFAULT-VALUE})")
  private int clients = 16;

  @Option(names = "--documents", description = "documents searched (default: ${DEFAULT-VALUE})")
  private int documents = 10_000;

  @Option(
      names = "--steps",
      description = "what a search costs: steps of its script (default: ${DEFAULT-VALUE})")
  private int steps = 200;

  @Option(
      names = "--deadline",
      description = "seconds after which an answer is worth nothing (default: ${DEFAULT-VALUE})")
  private double deadline = 1;

  private final PrintStream out = System.out;

  /** For the command line. */
  public OverloadBench() {}

  @Override
  public Integer call() throws IOException {
    ClusterSpec spec =
        ClusterSpec.of(3)
            .named("weir-bench")
            .eachNode(node -> node.withHeap("1g"))
            .plus(NodeSpec.named("coordinator").coordinatingOnly().withHeap("1g"))
            .withPlainStart()
            .reporting(out::println);
    try (DataNodes cluster = DataNodes.start(spec);
        MeasuredGateway weir = MeasuredGateway.start(cluster.seeds().subList(0, 3))) {
      List<InetSocketAddress> nodes =
          cluster.nodes().stream().map(OverloadBench::address).limit(3).toList();
      InetSocketAddress coordinator = address(cluster.node(3));
      BenchIndexes.load(coordinator, documents);
      Map<String, List<InetSocketAddress>> paths = new LinkedHashMap<>();
      paths.put(OverloadTable.WEIR, List.of(weir.address()));
      paths.put(OverloadTable.COORDINATOR, List.of(coordinator));
      paths.put(OverloadTable.PLAIN, nodes);
      flood(paths);
    }
    return 0;
  }

  private static InetSocketAddress address(DataNode node) {
    return new InetSocketAddress("127.0.0.1", node.httpPort());
  }

  private void flood(Map<String, List<InetSocketAddress>> paths) {
    Workload workload = Workload.scripted(steps);
    paths.forEach((name, addresses) -> {
      out.println("warming up: " + name);
      Load.run(addresses.getFirst(), workload, clients, warmUp);
    });
    Load.Result most = Load.run(first(paths), workload, clients, seconds);
    double peak = most.requests() * 1e9 / most.nanos();
    out.printf("peak, by %d clients through weir: %.0f/s%n", clients, peak);
    OverloadTable table = new OverloadTable(out, peak);
    for (double level : LEVELS) {
      paths.forEach((name, addresses) -> {
        OpenLoad.run(addresses, workload, level * peak, settle, deadline);
        OpenLoad.Result seen = OpenLoad.run(addresses, workload, level * peak, seconds, deadline);
        table.add(level, name, seen);
        out.printf(
            "%.1f of the peak: %s: %.0f/s in time, %d refused, %d failed%n",
            level, name, seen.goodput(), seen.refused(), seen.failed());
      });
    }
    table.print();
  }

  private static InetSocketAddress first(Map<String, List<InetSocketAddress>> paths) {
    return paths.get(OverloadTable.WEIR).getFirst();
  }
}
