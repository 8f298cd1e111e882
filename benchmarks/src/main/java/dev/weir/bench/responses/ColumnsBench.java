package dev.weir.bench.responses;

import dev.weir.bench.BenchClusters;
import dev.weir.bench.BlockingHttpConnection;
import dev.weir.bench.EndpointMeasurement;
import dev.weir.bench.MeasuredEndpoint;
import dev.weir.bench.MeasuredGateway;
import dev.weir.bench.ResultChecks;
import dev.weir.bench.WarmUp;
import dev.weir.bench.Workload;
import dev.weir.testkit.ClusterSpec;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.NodeSpec;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Measures a page of rows with ten fields: hits with their documents by a coordinating-only node,
 * and the gateway's columns, of documents and of doc values, in front of nodes with the plugin.
 */
@Command(
    name = "columns",
    description = "rows of ten fields as hits, and as columns of doc values from nodes")
public final class ColumnsBench implements Callable<Integer> {
  private static final String INDEX = "bench-columns";
  private static final int SHARDS = 3;
  private static final int CHUNK = 1000;
  private static final List<String> FIELDS =
      List.of("at", "host", "region", "user", "path", "status", "bytes", "took", "load", "ok");

  private static final String ARROW_OF_DOC_VALUES = "Arrow of doc values";

  private static final double MAX_CLIENT_RATIO = 0.35;
  private static final double MAX_SERVER_RATIO = 0.35;

  @Option(names = "--documents", description = "documents searched (default: ${DEFAULT-VALUE})")
  private int documents = 30_000;

  @Option(names = "--rows", description = "rows of a response (default: ${DEFAULT-VALUE})")
  private int rows = 1000;

  @Option(
      names = "--responses",
      description = "responses that a client reads in each way (default: ${DEFAULT-VALUE})")
  private int responses = 300;

  @Option(names = "--seconds", description = "length of a round (default: ${DEFAULT-VALUE})")
  private double seconds = 8;

  @Option(names = "--rounds", description = "rounds, alternately (default: ${DEFAULT-VALUE})")
  private int rounds = 4;

  @Option(
      names = "--warm-up",
      description =
          "the most seconds of load for each path, until its CPU time a request has stopped falling"
              + " (default: ${DEFAULT-VALUE})")
  private double warmUp = 360;

  @Option(names = "--clients", description = "concurrent clients (default: ${DEFAULT-VALUE})")
  private int clients = 4;

  private final PrintStream out = System.out;
  private final ResultChecks checks = new ResultChecks(System.out);
  private final BenchClusters clusters;

  /** Creates the command. */
  public ColumnsBench(BenchClusters clusters) {
    this.clusters = clusters;
  }

  /** What is measured on the servers: searches of one form at one endpoint, and their cost. */
  private record Path(MeasuredEndpoint endpoint, Workload workload, EndpointMeasurement measured) {
    String name() {
      return workload.name();
    }
  }

  @Override
  public Integer call() throws IOException {
    ClusterSpec spec =
        ClusterSpec.ofNodes(SHARDS)
            .withName("weir-bench-columns")
            .withNode(NodeSpec.of("coordinator").asCoordinatingOnly())
            .withoutAotCache()
            .withProgress(out::println);
    try (BenchClusters.Lease lease = clusters.lease(spec);
        MeasuredGateway gateway =
            MeasuredGateway.start(lease.cluster().seeds().subList(0, SHARDS))) {
      DataNodeCluster nodes = lease.cluster();
      DataNode coordinator = nodes.node(SHARDS);
      MeasuredEndpoint node =
          new MeasuredEndpoint(
              "coordinating-only node",
              new InetSocketAddress("127.0.0.1", coordinator.httpPort()),
              coordinator.pid());
      MeasuredEndpoint weir = new MeasuredEndpoint("weir", gateway.address(), gateway.pid());
      load(node.address());
      List<Long> dataNodes = nodes.nodes().subList(0, SHARDS).stream().map(DataNode::pid).toList();
      for (String order : List.of("", ",\"sort\":[\"bytes\"]")) {
        String name = rows + (order.isEmpty() ? " neighbouring rows" : " rows from anywhere");
        measureServers(name, order, node, weir, dataNodes);
        measureClient(name, order, node.address(), gateway.address());
      }
    }
    checks.print();
    return checks.exitCode();
  }

  private void load(InetSocketAddress address) throws IOException {
    try (BlockingHttpConnection connection = BlockingHttpConnection.withBodies(address)) {
      String body =
          """
          {"settings":{"number_of_shards":%d,"number_of_replicas":0,"refresh_interval":-1},
           "mappings":{"properties":{"at":{"type":"date"},"host":{"type":"keyword"},
            "region":{"type":"keyword"},"user":{"type":"keyword"},"path":{"type":"keyword"},
            "status":{"type":"integer"},"bytes":{"type":"long"},"took":{"type":"double"},
            "load":{"type":"float"},"ok":{"type":"boolean"}}}}
          """
              .formatted(SHARDS);
      ResponseIndexes.expect(connection, Workload.request("PUT", "/" + INDEX, body));
      Random random = new Random(1);
      for (int from = 0; from < documents; from += CHUNK) {
        StringBuilder lines = new StringBuilder();
        for (int i = from; i < Math.min(documents, from + CHUNK); i++) {
          lines.append("{\"index\":{}}\n").append(document(random, i)).append('\n');
        }
        ResponseIndexes.expect(
            connection, Workload.request("POST", "/" + INDEX + "/_bulk", lines.toString()));
      }
      ResponseIndexes.expect(
          connection,
          Workload.request("POST", "/" + INDEX + "/_forcemerge?max_num_segments=1", ""));
      ResponseIndexes.expect(connection, Workload.request("POST", "/" + INDEX + "/_refresh", ""));
    }
  }

  private static String document(Random random, int number) {
    return String.format(
        Locale.ROOT,
        "{\"at\":\"2026-%02d-%02dT%02d:15:%02d.%03dZ\",\"host\":\"web-%03d.example.org\","
            + "\"region\":\"eu-west-%d\",\"user\":\"user-%05d\",\"path\":\"/shop/items/%d/view\","
            + "\"status\":%d,\"bytes\":%d,\"took\":%.3f,\"load\":%.2f,\"ok\":%b}",
        1 + number % 12,
        1 + number % 28,
        number % 24,
        number % 60,
        random.nextInt(1000),
        random.nextInt(200),
        random.nextInt(3),
        random.nextInt(5000),
        random.nextInt(2000),
        random.nextInt(10) == 0 ? 404 : 200,
        random.nextInt(1_000_000),
        random.nextInt(100_000) / 1000.0,
        random.nextInt(800) / 100.0,
        random.nextBoolean());
  }

  private static String docValues() {
    return FIELDS.stream().collect(Collectors.joining("\",\"", ",\"docvalue_fields\":[\"", "\"]"));
  }

  private void measureServers(
      String name, String order, MeasuredEndpoint node, MeasuredEndpoint weir, List<Long> dataNodes)
      throws IOException {
    List<Path> paths =
        List.of(
            path("hits with documents, by a node", node, "", order),
            path("Arrow of documents", weir, "&columnar=arrow", order),
            path(ARROW_OF_DOC_VALUES, weir, "&columnar=arrow", order + docValues()),
            path(
                "the same without ids",
                weir,
                "&columnar=arrow",
                order + docValues() + ",\"stored_fields\":\"_none_\""),
            path("JSON columns of doc values", weir, "&columnar=json", order + docValues()),
            path("CSV of doc values", weir, "&columnar=csv", order + docValues()));
    new WarmUp(out, seconds, warmUp)
        .run(
            name,
            paths.stream().map(Path::name).toList(),
            (i, length) ->
                EndpointMeasurement.warmUpRound(
                    paths.get(i).endpoint(), paths.get(i).workload(), dataNodes, clients, length));
    for (int round = 1; round <= rounds; round++) {
      // Every other round runs in reverse, so that a machine that slows down affects all alike.
      for (Path path : round % 2 == 1 ? paths : paths.reversed()) {
        path.measured().runRound(path.endpoint(), path.workload(), dataNodes, clients, seconds);
      }
      out.printf("%s: round %d of %d%n", name, round, rounds);
    }
    printServers(name, paths);
    EndpointMeasurement plain = paths.getFirst().measured();
    for (Path path : paths) {
      checks.checkSuccesses(name, path.name(), path.measured().errors());
      if (order.isEmpty() && path.name().equals(ARROW_OF_DOC_VALUES)) {
        checks.checkAtMost(
            name,
            "CPU of gateway and nodes, of hits by a node",
            path.measured().totalCpu() / plain.totalCpu(),
            MAX_SERVER_RATIO);
      }
    }
  }

  /**
   * Returns searches for rows.
   *
   * @param parameters of their path
   * @param members of their body, each after a comma
   */
  private Path path(String name, MeasuredEndpoint endpoint, String parameters, String members) {
    Workload workload =
        Workload.ofPost(
            name,
            "/" + INDEX + "/_search?request_cache=false" + parameters,
            n -> "{\"size\":" + rows + members + "}");
    return new Path(endpoint, workload, new EndpointMeasurement());
  }

  private void printServers(String name, List<Path> paths) {
    EndpointMeasurement plain = paths.getFirst().measured();
    out.printf(
        "%n%s%n%-32s %14s %7s %12s %7s %7s%n",
        name, "", "CPU ms/request", "ratio", "KB", "ratio", "errors");
    for (Path path : paths) {
      EndpointMeasurement measured = path.measured();
      out.printf(
          Locale.ROOT,
          "%-32s %14.2f %7.3f %12.1f %7.3f %7d%n",
          path.name(),
          measured.totalCpu(),
          measured.totalCpu() / plain.totalCpu(),
          measured.bodyKilobytesPerRequest(),
          measured.bodyKilobytesPerRequest() / plain.bodyKilobytesPerRequest(),
          measured.errors());
    }
  }

  private void measureClient(
      String name, String order, InetSocketAddress node, InetSocketAddress gateway)
      throws IOException {
    BenchPython python = new BenchPython();
    if (!python.has("pyarrow, opensearchpy")) {
      out.println("not measured: " + python.missing("pyarrow and opensearch-py"));
      return;
    }
    List<List<Double>> ways =
        python.numbers(
            "rows.py",
            List.of(
                BenchPython.text(node),
                BenchPython.text(gateway),
                INDEX,
                Integer.toString(responses),
                "{\"size\":" + rows + order + "}"),
            FIELDS);
    List<String> names =
        List.of(
            "opensearch-py, hits to rows",
            "Arrow of documents",
            ARROW_OF_DOC_VALUES,
            "the same without ids");
    out.printf("%n%-32s %10s %7s %16s %7s%n", name, "ms", "ratio", "client's CPU ms", "ratio");
    List<Double> plain = ways.getFirst();
    for (int i = 0; i < names.size(); i++) {
      List<Double> way = ways.get(i);
      out.printf(
          Locale.ROOT,
          "%-32s %10.2f %7.3f %16.2f %7.3f%n",
          names.get(i),
          way.get(0),
          way.get(0) / plain.get(0),
          way.get(1),
          way.get(1) / plain.get(1));
    }
    if (!order.isEmpty()) {
      return; // the sort takes as long in every way
    }
    checks.checkAtMost(
        name,
        "time of a client, of opensearch-py's",
        ways.get(2).get(0) / plain.get(0),
        MAX_CLIENT_RATIO);
    checks.checkAtMost(
        name,
        "CPU of a client, of opensearch-py's",
        ways.get(2).get(1) / plain.get(1),
        MAX_CLIENT_RATIO);
  }
}
