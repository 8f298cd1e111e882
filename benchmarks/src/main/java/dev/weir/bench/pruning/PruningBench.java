package dev.weir.bench.pruning;

import dev.weir.bench.BenchClusters;
import dev.weir.bench.BlockingHttpConnection;
import dev.weir.bench.EndpointMeasurement;
import dev.weir.bench.GatewayCounts;
import dev.weir.bench.MeasuredEndpoint;
import dev.weir.bench.MeasuredGateway;
import dev.weir.bench.ResultChecks;
import dev.weir.bench.WarmUp;
import dev.weir.bench.Workload;
import dev.weir.testkit.ClusterSpec;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.NodeSpec;
import dev.weir.testkit.PluginPlacement;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./weir bench pruning}: a search of one day over a month of daily indices. */
@Command(
    name = "pruning",
    description = "a search of one day over daily indices, with pruning by time and without")
public final class PruningBench implements Callable<Integer> {
  private static final String POLICY =
      "search:\n  time-pruning: {indices: [\"" + SearchedDays.PATTERN + "\"]}\n";

  private static final int DATA_NODES = 3;
  private static final int MAX_WAITS = 1200;
  private static final int WAIT_MILLIS = 100;

  @Option(names = "--days", description = "daily indices (default: ${DEFAULT-VALUE})")
  private int days = 30;

  @Option(names = "--documents", description = "documents of a day (default: ${DEFAULT-VALUE})")
  private int documents = 5000;

  @Option(
      names = "--plugin",
      description = "nodes have the plugin, and all indices take writes: none has a write block")
  private boolean hasPlugin;

  @Option(names = "--clients", description = "concurrent clients (default: ${DEFAULT-VALUE})")
  private int clients = 4;

  @Option(names = "--seconds", description = "length of a round (default: ${DEFAULT-VALUE})")
  private double seconds = 5;

  @Option(names = "--rounds", description = "rounds, alternately (default: ${DEFAULT-VALUE})")
  private int rounds = 4;

  @Option(
      names = "--warm-up",
      description =
          "the most seconds of load for each path, until its CPU time a request has stopped falling"
              + " (default: ${DEFAULT-VALUE})")
  private double warmUp = 360;

  private final PrintStream out = System.out;
  private final ResultChecks checks = new ResultChecks(out);
  private final BenchClusters clusters;

  /** Creates the benchmark. */
  public PruningBench(BenchClusters clusters) {
    this.clusters = clusters;
  }

  @Override
  public Integer call() throws IOException {
    try (BenchClusters.Lease lease = clusters.lease(spec());
        MeasuredGateway pruning = MeasuredGateway.start(seeds(lease.cluster()), POLICY);
        MeasuredGateway asking = MeasuredGateway.start(seeds(lease.cluster()));
        GatewayCounts pruningCounts = new GatewayCounts(pruning);
        GatewayCounts askingCounts = new GatewayCounts(asking)) {
      DataNodeCluster cluster = lease.cluster();
      SearchedDays searched = new SearchedDays(days, documents);
      searched.load(cluster.rest(), !hasPlugin);
      out.printf("loaded %d indices of %d documents%n", days, documents);
      awaitKnownTimes(pruningCounts);
      DataNode coordinator = cluster.node(DATA_NODES);
      MeasuredEndpoint node =
          new MeasuredEndpoint(
              "coordinating-only node",
              new InetSocketAddress("127.0.0.1", coordinator.httpPort()),
              coordinator.pid());
      String body = searched.lastDaySearch();
      PruningTable table =
          new PruningTable(
              new SearchPath(node, null, workload(body, "")),
              new SearchPath(
                  endpoint("weir, all shards queried", asking),
                  askingCounts,
                  workload(body, "&pre_filter_shard_size=100000")),
              new SearchPath(
                  endpoint("weir, pruning off", asking), askingCounts, workload(body, "")),
              new SearchPath(
                  endpoint("weir, pruning on", pruning), pruningCounts, workload(body, "")));
      checkSameResponses(table);
      List<Long> dataNodes =
          cluster.nodes().subList(0, DATA_NODES).stream().map(DataNode::pid).toList();
      warmUp(table.paths(), dataNodes);
      measure(table, dataNodes, pruningCounts);
    }
    checks.print();
    return checks.exitCode();
  }

  private ClusterSpec spec() {
    PluginPlacement placement = hasPlugin ? PluginPlacement.ALL : PluginPlacement.NONE;
    ClusterSpec nodes =
        ClusterSpec.ofNodes(DATA_NODES, placement)
            .withName(hasPlugin ? "weir-bench-plugin" : "weir-bench")
            .withNode(NodeSpec.of("coordinator").asCoordinatingOnly())
            .mapNodes(node -> node.withHeap("1g"))
            .withoutAotCache()
            .withProgress(out::println);
    return hasPlugin ? nodes : nodes.withoutPlugin();
  }

  private static List<String> seeds(DataNodeCluster cluster) {
    return cluster.seeds().subList(0, DATA_NODES);
  }

  private static MeasuredEndpoint endpoint(String name, MeasuredGateway gateway) {
    return new MeasuredEndpoint(name, gateway.address(), gateway.pid());
  }

  private static Workload workload(String body, String parameters) {
    return Workload.ofPost(
        "one day",
        "/" + SearchedDays.PATTERN + "/_search?request_cache=false" + parameters,
        n -> body);
  }

  /** Waits until the gateway has learned the times of all indices that it may leave out. */
  private void awaitKnownTimes(GatewayCounts counts) {
    String known = hasPlugin ? "known_copies" : "known_indices";
    int expected = hasPlugin ? 2 * days : days - 1;
    for (int waits = 0; counts.sum(known) < expected; waits++) {
      if (waits == MAX_WAITS) {
        throw new IllegalStateException(
            "got %d %s (expected: %d)".formatted(counts.sum(known), known, expected));
      }
      try {
        TimeUnit.MILLISECONDS.sleep(WAIT_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted", e);
      }
    }
  }

  /** Checks that a pruned search finds what the others find. */
  private void checkSameResponses(PruningTable table) throws IOException {
    List<String> found = new ArrayList<>();
    for (SearchPath path : table.paths()) {
      try (BlockingHttpConnection connection =
          BlockingHttpConnection.withBodies(path.endpoint().address())) {
        connection.exchange(path.workload().request().apply(0));
        found.add(PruningTable.totalsOf(connection.body()));
      }
    }
    checks.checkTrue(
        "one day",
        "all paths find the same: %s".formatted(found.getFirst().split("}", 2)[0] + "}"),
        found.stream().distinct().count() == 1);
  }

  private void warmUp(List<SearchPath> paths, List<Long> dataNodes) throws IOException {
    new WarmUp(out, seconds, warmUp)
        .run(
            "one day of " + days,
            paths.stream().map(SearchPath::name).toList(),
            (i, length) ->
                EndpointMeasurement.warmUpRound(
                    paths.get(i).endpoint(), paths.get(i).workload(), dataNodes, clients, length));
  }

  private void measure(PruningTable table, List<Long> dataNodes, GatewayCounts pruningCounts) {
    long prunedBefore = pruningCounts.sum("pruned");
    for (int round = 1; round <= rounds; round++) {
      // Every other round runs in reverse, so that a machine that slows down affects all alike.
      for (SearchPath path : round % 2 == 1 ? table.paths() : table.paths().reversed()) {
        path.runRound(dataNodes, clients, seconds);
        out.printf(
            Locale.ROOT,
            "round %d: %s: %.2f CPU-ms of the nodes a search, p99 %.1f ms%n",
            round,
            path.name(),
            path.measured().nodesCpu(),
            path.measured().millis(99));
      }
    }
    double pruned = pruningCounts.sum("pruned") - prunedBefore;
    table.paths().forEach(path -> path.measureAllocations(clients, seconds / 2));
    table.print(out);
    table.check(checks, pruned);
  }
}
