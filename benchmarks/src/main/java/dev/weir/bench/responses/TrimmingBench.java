package dev.weir.bench.responses;

import dev.weir.bench.BenchCluster;
import dev.weir.bench.BenchClusters;
import dev.weir.bench.BlockingHttpConnection;
import dev.weir.bench.EndpointMeasurement;
import dev.weir.bench.MeasuredEndpoint;
import dev.weir.bench.MeasuredGateway;
import dev.weir.bench.ResultChecks;
import dev.weir.bench.WarmUp;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.DataNodeCluster;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./weir bench trimming}: hits with all parts, and without those that nobody reads. */
@Command(
    name = "trimming",
    description = "bytes and CPU of gateway, nodes and client for whole and for trimmed responses")
public final class TrimmingBench implements Callable<Integer> {
  private static final String INDEX = "bench-trimmed";
  private static final String FILTER_PATH =
      "&filter_path=-_shards,-hits.max_score,-hits.hits._index,-hits.hits._score";

  @Option(names = "--documents", description = "documents searched (default: ${DEFAULT-VALUE})")
  private int documents = 20_000;

  @Option(
      names = "--rows",
      split = ",",
      description = "hits of a response (default: ${DEFAULT-VALUE})")
  private List<Integer> rows = List.of(10, 1000);

  @Option(
      names = "--responses",
      description = "responses that the client reads in a round (default: ${DEFAULT-VALUE})")
  private int responses = 300;

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
  public TrimmingBench(BenchClusters clusters) {
    this.clusters = clusters;
  }

  @Override
  public Integer call() throws IOException {
    try (BenchClusters.Lease lease = clusters.lease(BenchCluster.spec(out));
        MeasuredGateway gateway = MeasuredGateway.start(lease.cluster().seeds().subList(0, 3))) {
      DataNodeCluster cluster = lease.cluster();
      DataNode coordinator = cluster.node(3);
      MeasuredEndpoint node =
          new MeasuredEndpoint(
              "node",
              new InetSocketAddress("127.0.0.1", coordinator.httpPort()),
              coordinator.pid());
      MeasuredEndpoint weir = new MeasuredEndpoint("weir", gateway.address(), gateway.pid());
      try (BlockingHttpConnection connection = BlockingHttpConnection.withBodies(node.address())) {
        ResponseIndexes.loadNarrow(connection, INDEX, documents);
      }
      out.printf("loaded %d documents%n", documents);
      List<Long> dataNodes = cluster.nodes().subList(0, 3).stream().map(DataNode::pid).toList();
      for (int count : rows) {
        TrimmingTable table =
            new TrimmingTable(
                path("coordinating-only, filter_path", node, count, FILTER_PATH),
                path("weir, whole response", weir, count, ""),
                path("weir, filter_path", weir, count, FILTER_PATH),
                path("weir, trimmed", weir, count, trim(ResponseWorkloads.Format.TRIMMED)),
                path(
                    "weir, trimmed, no documents",
                    weir,
                    count,
                    trim(ResponseWorkloads.Format.IDS)));
        measure(table, count, dataNodes);
      }
    }
    checks.print();
    return checks.exitCode();
  }

  private static String trim(ResponseWorkloads.Format format) {
    return format.parameters();
  }

  private static TrimmedPath path(
      String name, MeasuredEndpoint endpoint, int count, String parameters) {
    return new TrimmedPath(name, endpoint, ResponseWorkloads.hits(name, INDEX, count, parameters));
  }

  private void measure(TrimmingTable table, int count, List<Long> dataNodes) throws IOException {
    String title = count + " hits";
    checks.checkTrue(
        title,
        "trimmed is the same as by filter_path",
        hits(table.trimmed()).equals(hits(table.filtered()))
            && hits(table.trimmed()).equals(hits(table.nodeFiltered())));
    List<TrimmedPath> paths = table.paths();
    new WarmUp(out, seconds, warmUp)
        .run(
            title,
            paths.stream().map(TrimmedPath::name).toList(),
            (i, length) ->
                EndpointMeasurement.warmUpRound(
                    paths.get(i).endpoint(), paths.get(i).workload(), dataNodes, clients, length));
    for (TrimmedPath path : paths) {
      ReadingClient.read(path.endpoint().address(), path.workload(), responses, count);
    }
    for (int round = 1; round <= rounds; round++) {
      // Every other round runs in reverse, so that a machine that slows down affects all alike.
      for (TrimmedPath path : round % 2 == 1 ? paths : paths.reversed()) {
        path.runRound(dataNodes, clients, seconds);
        path.read(responses, count);
      }
      out.printf("%s: round %d of %d%n", title, round, rounds);
    }
    paths.forEach(path -> path.measureAllocations(clients, seconds / 2));
    table.print(out, title);
    table.check(checks, title);
  }

  /** Returns the hits of a response as text: all after the time that it took. */
  private static String hits(TrimmedPath path) throws IOException {
    try (BlockingHttpConnection connection =
        BlockingHttpConnection.withBodies(path.endpoint().address())) {
      int status = connection.exchange(path.workload().request().apply(0));
      String body = connection.body();
      int begin = body.indexOf("\"hits\"");
      if (status >= 300 || begin < 0) {
        throw new IllegalStateException("got %d %s (expected: hits)".formatted(status, body));
      }
      return body.substring(begin);
    }
  }
}
