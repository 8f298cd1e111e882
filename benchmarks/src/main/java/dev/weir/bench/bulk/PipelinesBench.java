package dev.weir.bench.bulk;

import dev.weir.bench.BenchClusters;
import dev.weir.bench.MeasuredGateway;
import dev.weir.bench.ResultChecks;
import dev.weir.testkit.ClusterSpec;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.PluginPlacement;
import dev.weir.testkit.RestClient;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code ./weir bench pipelines}: bulks into an index with a default pipeline, as single-shard
 * bulks and passed through.
 *
 * <p>The path that passes through is a gateway that delegates authorization: it does not even parse
 * the bulk, so it is faster than one that passes a bulk through for its pipeline.
 */
@Command(
    name = "pipelines",
    description = "throughput and CPU of bulks with a default pipeline, passed through or not")
public final class PipelinesBench implements Callable<Integer> {
  private static final String PIPELINE = "bench-lines";

  /** What a log shipper's pipeline does: adds, renames, converts and removes fields. */
  private static final String PROCESSORS =
      """
      {"processors": [
        {"set": {"field": "received", "value": "{{_ingest.timestamp}}"}},
        {"lowercase": {"field": "level"}},
        {"rename": {"field": "pod", "target_field": "instance"}},
        {"remove": {"field": "user_agent"}}]}\
      """;

  private static final String INDEX = "pipeline";

  private static final String TEMPLATE =
      "{\"index_patterns\": [\"*-"
          + INDEX
          + "\"], \"template\": {\"settings\": {\"default_pipeline\": \""
          + PIPELINE
          + "\"}}}";

  private static final String PASSED_THROUGH = "weir, passed through";
  private static final String COORDINATED = "weir, single-shard bulk";
  private static final double MIN_GAIN = 2;
  private static final int BODIES = 16;

  /** From this number of shards on, single-shard bulks must be faster. */
  private static final int MANY_SHARDS = 60;

  @Option(names = "--seconds", description = "length of a round (default: ${DEFAULT-VALUE})")
  private double seconds = 8;

  @Option(names = "--rounds", description = "rounds, alternately (default: ${DEFAULT-VALUE})")
  private int rounds = 3;

  @Option(names = "--shards", description = "primary shards (default: ${DEFAULT-VALUE})")
  private int shards = 60;

  @Option(names = "--replicas", description = "of each shard (default: ${DEFAULT-VALUE})")
  private int replicas = 1;

  @Option(names = "--clients", description = "concurrent clients (default: ${DEFAULT-VALUE})")
  private int clients = 8;

  @Option(names = "--documents", description = "in a bulk (default: ${DEFAULT-VALUE})")
  private int documents = 1000;

  @Option(
      names = "--warm-up",
      description = "seconds of load for each path before the rounds (default: ${DEFAULT-VALUE})")
  private double warmUp = 60;

  private final PrintStream out = System.out;
  private final ResultChecks checks = new ResultChecks(out);
  private final BulkResultTable table = new BulkResultTable(out);
  private final BenchClusters clusters;

  /** Creates the benchmark. */
  public PipelinesBench(BenchClusters clusters) {
    this.clusters = clusters;
  }

  @Override
  public Integer call() throws IOException {
    ClusterSpec spec =
        ClusterSpec.ofNodes(3, PluginPlacement.ALL)
            .withName("weir-bench-batches") // a smoke run shares the nodes of shard-batches
            .mapNodes(node -> node.withHeap("1g"))
            .withProgress(out::println);
    try (BenchClusters.Lease lease = clusters.lease(spec);
        MeasuredGateway passing = gateway(lease.cluster(), "delegate", "");
        MeasuredGateway coordinating =
            gateway(
                lease.cluster(),
                "none",
                "bulk: {single-shard: {indices: [\""
                    + WriteIndex.SINGLE_SHARD_INDEX
                    + "*\"], min-shards: 2}}\n")) {
      List<BulkEndpoint> ways =
          List.of(
              new BulkEndpoint(
                  PASSED_THROUGH, passing.address(), passing.pid(), WriteIndex.PLAIN_INDEX + INDEX),
              new BulkEndpoint(
                  COORDINATED,
                  coordinating.address(),
                  coordinating.pid(),
                  WriteIndex.SINGLE_SHARD_INDEX + INDEX));
      RestClient rest = lease.cluster().rest();
      rest.send("PUT", "/_ingest/pipeline/" + PIPELINE, PROCESSORS).orThrow();
      rest.send("PUT", "/_index_template/" + PIPELINE, TEMPLATE).orThrow();
      try {
        measure(lease.cluster(), ways);
      } finally {
        rest.send("DELETE", "/_index_template/" + PIPELINE);
        rest.send("DELETE", "/_ingest/pipeline/" + PIPELINE);
      }
    }
    table.print();
    checks.print();
    return checks.exitCode();
  }

  private static MeasuredGateway gateway(
      DataNodeCluster cluster, String authorization, String sections) throws IOException {
    return MeasuredGateway.startWithConfig(
        "clusters:\n  main:\n    seeds: [\""
            + String.join("\", \"", cluster.seeds())
            + "\"]\n    authorization: "
            + authorization
            + "\n"
            + sections);
  }

  private void measure(DataNodeCluster cluster, List<BulkEndpoint> ways) {
    Random random = new Random(documents);
    List<LogLines> bodies =
        Stream.generate(() -> new LogLines(random, documents)).limit(BODIES).toList();
    WriteIndex index = new WriteIndex(cluster, replicas, "-1");
    List<BulkMeasurement> all = ways.stream().map(BulkMeasurement::new).toList();
    for (BulkEndpoint way : ways) {
      index.create(way.index(), shards);
      load(way, bodies, warmUp);
    }
    List<Long> pids = cluster.nodes().stream().map(DataNode::pid).toList();
    for (int round = 1; round <= rounds; round++) {
      for (BulkMeasurement seen : round % 2 == 1 ? all : all.reversed()) {
        BulkEndpoint way = seen.endpoint();
        index.delete(way.index());
        index.create(way.index(), shards);
        seen.add(to -> load(to, bodies, seconds), pids, () -> index.refresh(way.index()));
        out.printf(
            "round %d: %s: %.0f docs/s, p99 %.0f ms%n",
            round, way.name(), seen.documentsPerSecond(), seen.millis(99));
      }
    }
    ways.forEach(way -> index.delete(way.index()));
    String title = shards + " shards, clients: " + clients;
    table.add(title, all);
    check(title, all.getFirst(), all.getLast());
  }

  private void check(String title, BulkMeasurement passed, BulkMeasurement coordinated) {
    if (shards >= MANY_SHARDS) {
      checks.checkAtLeast(
          title,
          "documents/s, single-shard beside passed through",
          coordinated.documentsPerSecond() / passed.documentsPerSecond(),
          MIN_GAIN);
    }
    BulkResultTable.checkWritten(checks, title, List.of(passed, coordinated));
  }

  private BulkLoadGenerator.Result load(BulkEndpoint way, List<LogLines> bodies, double duration) {
    List<byte[]> requests = new ArrayList<>();
    bodies.forEach(body -> requests.add(body.request(way.index())));
    return BulkLoadGenerator.run(way.address(), requests, documents, clients, duration);
  }
}
