package dev.weir.bench.bulk;

import dev.weir.bench.BenchCluster;
import dev.weir.bench.BenchClusters;
import dev.weir.bench.MeasuredGateway;
import dev.weir.bench.ResultChecks;
import dev.weir.bench.WarmUp;
import dev.weir.testkit.ClusterSpec;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.DataNodeCluster;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures bulks of log lines into indices with many shards, on each path. */
@Command(
    name = "bulk",
    description = "throughput and CPU of bulks into many shards, also beside a slow node")
public final class BulkBench implements Callable<Integer> {
  private static final String POLICY =
      "bulk:\n  single-shard:\n    indices: [\"" + WriteIndex.SINGLE_SHARD_INDEX + "*\"]\n";

  /** The number of different bodies, so that consecutive bulks differ. */
  private static final int BODIES = 16;

  /** A slow node is stopped for 6 ms of every 8 ms. */
  private static final Duration PERIOD = Duration.ofMillis(8);

  private static final double STOPPED_RATIO = 0.75;

  @Option(names = "--seconds", description = "length of a round (default: ${DEFAULT-VALUE})")
  private double seconds = 8;

  @Option(names = "--rounds", description = "rounds of each load (default: ${DEFAULT-VALUE})")
  private int runRounds = 3;

  @Option(
      names = "--shards",
      split = ",",
      description = "primary shards of the indices (default: ${DEFAULT-VALUE})")
  private List<Integer> shards = List.of(12, 48, 120);

  @Option(
      names = "--clients",
      split = ",",
      description = "concurrent clients (default: ${DEFAULT-VALUE})")
  private List<Integer> clients = List.of(1, 8);

  @Option(names = "--replicas", description = "of each shard (default: ${DEFAULT-VALUE})")
  private int replicas = 1;

  @Option(
      names = "--refresh",
      description =
          "refresh interval of the indices; -1 for a refresh after each round only (default:"
              + " ${DEFAULT-VALUE})")
  private String refresh = "-1";

  @Option(names = "--documents", description = "in a bulk (default: ${DEFAULT-VALUE})")
  private int documents = 1000;

  @Option(
      names = "--warm-up",
      description =
          "the most seconds of load for each path before the rounds, until its CPU time a bulk has"
              + " stopped falling (default: ${DEFAULT-VALUE})")
  private double warmUp = 360;

  @Option(
      names = "--settle",
      description = "seconds beside the slow node before each round (default: ${DEFAULT-VALUE})")
  private double settle = 4;

  @Option(
      names = "--soak",
      description = "seconds of bulks while nodes are killed (default: ${DEFAULT-VALUE})")
  private double soak = 60;

  @Option(
      names = "--write-queue",
      description = "the nodes' thread_pool.write.queue_size (default: ${DEFAULT-VALUE})")
  private int writeQueue = 10_000;

  @Option(
      names = "--only",
      description = "only the parts whose name contains this: healthy, slow, soak")
  private String only = "";

  private final PrintStream out = System.out;
  private final ResultChecks verdicts = new ResultChecks(System.out);
  private final BulkResultTable table = new BulkResultTable(System.out);
  private List<LogLines> bodies = List.of();

  private final BenchClusters clusters;

  public BulkBench(BenchClusters clusters) {
    this.clusters = clusters;
  }

  @Override
  public Integer call() throws IOException {
    ClusterSpec spec =
        BenchCluster.spec(out)
            .mapNodes(node ->
                node.withSetting("thread_pool.write.queue_size", Integer.toString(writeQueue)));
    try (BenchClusters.Lease lease = clusters.lease(spec);
        MeasuredGateway weir =
            MeasuredGateway.start(lease.cluster().seeds().subList(0, 3), POLICY)) {
      DataNodeCluster cluster = lease.cluster();
      if (isPartEnabled("healthy") || isPartEnabled("slow")) {
        Random random = new Random(documents);
        bodies = Stream.generate(() -> new LogLines(random, documents)).limit(BODIES).toList();
        List<BulkEndpoint> ways = endpoints(cluster, weir);
        List<Integer> counts = isPartEnabled("healthy") ? shards : List.of(Collections.max(shards));
        warmUp(cluster, ways, counts.getFirst());
        for (int count : counts) {
          measure(cluster, ways, count);
        }
      }
      if (isPartEnabled("soak")) {
        new NodeKillSoak(out, verdicts, cluster, weir, new WriteIndex(cluster, 1, refresh))
            .run(soak);
      }
    }
    if (isPartEnabled("healthy") || isPartEnabled("slow")) {
      table.print();
    }
    verdicts.print();
    return verdicts.exitCode();
  }

  private boolean isPartEnabled(String name) {
    return name.contains(only);
  }

  private static List<BulkEndpoint> endpoints(DataNodeCluster cluster, MeasuredGateway weir) {
    DataNode node = cluster.node(3);
    InetSocketAddress coordinator = new InetSocketAddress("127.0.0.1", node.httpPort());
    return List.of(
        new BulkEndpoint(
            BulkEndpoint.COORDINATING_NODE,
            coordinator,
            node.pid(),
            WriteIndex.PLAIN_INDEX + "node"),
        new BulkEndpoint(
            BulkEndpoint.PLAIN, weir.address(), weir.pid(), WriteIndex.PLAIN_INDEX + "weir"),
        new BulkEndpoint(
            BulkEndpoint.SINGLE_SHARD,
            weir.address(),
            weir.pid(),
            WriteIndex.SINGLE_SHARD_INDEX + "weir"));
  }

  /** Each round writes to a new index, so that a long warm-up fills no disk. */
  private void warmUp(DataNodeCluster cluster, List<BulkEndpoint> ways, int count)
      throws IOException {
    WriteIndex index = new WriteIndex(cluster, replicas, refresh);
    int many = Collections.max(clients);
    new WarmUp(out, seconds, warmUp)
        .run(
            "bulks of " + documents,
            ways.stream().map(BulkEndpoint::name).toList(),
            (i, length) -> {
              BulkEndpoint way = ways.get(i);
              index.create(way.index(), Math.max(count, 12));
              BulkMeasurement warming = new BulkMeasurement(way);
              warming.add(to -> load(to, many, length), pids(cluster), () -> {});
              index.delete(way.index());
              return 1000 * warming.gatewayCpu();
            });
  }

  private void measure(DataNodeCluster cluster, List<BulkEndpoint> ways, int count) {
    WriteIndex index = new WriteIndex(cluster, replicas, refresh);
    out.printf("making indices of %d shards, %d replicas%n", count, replicas);
    ways.forEach(way -> index.create(way.index(), count));
    int most = Collections.max(clients);
    if (isPartEnabled("healthy")) {
      for (int many : clients) {
        String title = count + " shards, clients: " + many;
        List<BulkMeasurement> seen = runRounds(cluster, ways, index, title, many);
        if (count == Collections.max(shards) && many == most) {
          for (BulkMeasurement each : seen) {
            each.measureAllocations(way -> load(way, many, seconds / 2));
          }
        }
        BulkResultTable.check(verdicts, title, count, seen);
      }
    }
    if (isPartEnabled("slow") && count == Collections.max(shards)) {
      String title = "a slow node, clients: " + most;
      BulkResultTable.checkWithSlowNode(
          verdicts, title, runRoundsWithSlowNode(cluster, ways, index, title));
    }
    ways.forEach(way -> index.delete(way.index()));
  }

  private List<BulkMeasurement> runRounds(
      DataNodeCluster cluster, List<BulkEndpoint> ways, WriteIndex index, String title, int many) {
    return runRounds(
        ways,
        title,
        (way, seen) ->
            seen.add(
                to -> load(to, many, seconds), pids(cluster), () -> index.refresh(way.index())));
  }

  /**
   * Runs rounds while one of three data nodes has a quarter of its speed; this node is not the
   * cluster manager.
   */
  private List<BulkMeasurement> runRoundsWithSlowNode(
      DataNodeCluster cluster, List<BulkEndpoint> ways, WriteIndex index, String title) {
    int many = Collections.max(clients);
    DataNode slow = cluster.node(2);
    return runRounds(
        ways,
        title,
        (way, seen) -> {
          slow.throttle(PERIOD, STOPPED_RATIO);
          try {
            load(way, many, settle);
            Runnable after =
                () -> {
                  slow.resume();
                  index.refresh(way.index());
                };
            seen.add(to -> load(to, many, seconds), pids(cluster), after);
          } finally {
            slow.resume();
          }
        });
  }

  private interface MeasuredRound {
    void run(BulkEndpoint way, BulkMeasurement seen);
  }

  private List<BulkMeasurement> runRounds(
      List<BulkEndpoint> ways, String title, MeasuredRound round) {
    List<BulkMeasurement> all = ways.stream().map(BulkMeasurement::new).toList();
    for (int number = 1; number <= runRounds; number++) {
      // Reverses the order in every other round, so that nodes that warm up or slow down affect all
      // paths alike.
      for (BulkMeasurement seen : number % 2 == 1 ? all : all.reversed()) {
        round.run(seen.endpoint(), seen);
        out.printf(
            "%s, round %d: %s: %.0f docs/s, p99 %.0f ms%n",
            title, number, seen.endpoint().name(), seen.documentsPerSecond(), seen.millis(99));
      }
    }
    table.add(title, all);
    return all;
  }

  private static List<Long> pids(DataNodeCluster cluster) {
    return cluster.nodes().stream().limit(3).map(DataNode::pid).toList();
  }

  private BulkLoadGenerator.Result load(BulkEndpoint way, int many, double duration) {
    List<byte[]> requests = new ArrayList<>();
    bodies.forEach(body -> requests.add(body.request(way.index())));
    return BulkLoadGenerator.run(way.address(), requests, documents, many, duration);
  }
}
