package dev.weir.bench.bulk;

import dev.weir.bench.BenchCluster;
import dev.weir.bench.BenchClusters;
import dev.weir.bench.BlockingHttpConnection;
import dev.weir.bench.GatewayCounts;
import dev.weir.bench.MeasuredGateway;
import dev.weir.bench.ResultChecks;
import dev.weir.bench.WarmUp;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.DataNodeCluster;
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
 * {@code ./weir bench single-shard-bulk}: bulks into an index of few shards, each to one shard and
 * each to all. {@link BulkBench} has indices of many shards and faulty nodes.
 */
@Command(
    name = "single-shard-bulk",
    description = "messages, documents/s and CPU of bulks to one shard each, and to all of six")
public final class SingleShardBulkBench implements Callable<Integer> {
  private static final String POLICY =
      "bulk:\n  single-shard: {indices: [\""
          + WriteIndex.SINGLE_SHARD_INDEX
          + "*\"], min-shards: 2}\n";

  /** The number of different bodies, so that consecutive bulks differ. */
  private static final int BODIES = 16;

  /** The documents whose ids are asked for one by one. */
  private static final int MAX_CHECKED_IDS = 200;

  @Option(names = "--shards", description = "primary shards (default: ${DEFAULT-VALUE})")
  private int shards = 6;

  @Option(names = "--replicas", description = "of each shard (default: ${DEFAULT-VALUE})")
  private int replicas = 1;

  @Option(
      names = "--documents",
      split = ",",
      description = "in a bulk, each number in rounds of its own (default: ${DEFAULT-VALUE})")
  private List<Integer> documents = List.of(100, 1000);

  @Option(names = "--clients", description = "concurrent clients (default: ${DEFAULT-VALUE})")
  private int clients = 8;

  @Option(names = "--seconds", description = "length of a round (default: ${DEFAULT-VALUE})")
  private double seconds = 8;

  @Option(names = "--rounds", description = "rounds, alternately (default: ${DEFAULT-VALUE})")
  private int rounds = 4;

  @Option(
      names = "--warm-up",
      description =
          "the most seconds of load for each path before the rounds, until its CPU time a bulk has"
              + " stopped falling (default: ${DEFAULT-VALUE})")
  private double warmUp = 360;

  private final PrintStream out = System.out;
  private final ResultChecks checks = new ResultChecks(out);
  private final BulkResultTable table = new BulkResultTable(out);
  private final BenchClusters clusters;

  /** Creates the benchmark. */
  public SingleShardBulkBench(BenchClusters clusters) {
    this.clusters = clusters;
  }

  @Override
  public Integer call() throws IOException {
    try (BenchClusters.Lease lease = clusters.lease(BenchCluster.spec(out));
        MeasuredGateway weir =
            MeasuredGateway.start(lease.cluster().seeds().subList(0, 3), POLICY);
        GatewayCounts counts = new GatewayCounts(weir)) {
      BulkEndpoint plain =
          new BulkEndpoint(
              BulkEndpoint.PLAIN, weir.address(), weir.pid(), WriteIndex.PLAIN_INDEX + "few");
      BulkEndpoint single =
          new BulkEndpoint(
              BulkEndpoint.SINGLE_SHARD,
              weir.address(),
              weir.pid(),
              WriteIndex.SINGLE_SHARD_INDEX + "few");
      WriteIndex index = new WriteIndex(lease.cluster(), replicas, "-1");
      for (int count : documents) {
        measure(lease.cluster(), index, List.of(plain, single), counts, count);
      }
      checkIds(lease.cluster(), index, single);
    }
    table.print();
    checks.print();
    return checks.exitCode();
  }

  private void measure(
      DataNodeCluster cluster,
      WriteIndex index,
      List<BulkEndpoint> ways,
      GatewayCounts counts,
      int count)
      throws IOException {
    String title = "%d shards, bulks of %d".formatted(shards, count);
    Random random = new Random(count);
    List<LogLines> bodies =
        Stream.generate(() -> new LogLines(random, count)).limit(BODIES).toList();
    List<Long> pids = cluster.nodes().stream().limit(3).map(DataNode::pid).toList();
    // Each round writes to a new index, so that a long warm-up fills no disk.
    new WarmUp(out, seconds, warmUp)
        .run(
            title,
            ways.stream().map(BulkEndpoint::name).toList(),
            (i, length) -> {
              BulkEndpoint way = ways.get(i);
              index.create(way.index(), shards);
              BulkMeasurement warming = new BulkMeasurement(way);
              warming.add(to -> load(to, bodies, length), pids, () -> {});
              index.delete(way.index());
              return 1000 * warming.gatewayCpu();
            });
    List<BulkMeasurement> all = ways.stream().map(BulkMeasurement::new).toList();
    for (int round = 1; round <= rounds; round++) {
      // Every other round runs in reverse, so that a machine that slows down affects all alike.
      for (BulkMeasurement seen : round % 2 == 1 ? all : all.reversed()) {
        String name = seen.endpoint().index();
        index.create(name, shards);
        seen.addMessages(
            counts.messagesOf(
                () -> seen.add(to -> load(to, bodies, seconds), pids, () -> index.refresh(name))));
        index.delete(name);
        out.printf(
            "%s, round %d: %s: %.1f messages a bulk, %.0f docs/s%n",
            title,
            round,
            seen.endpoint().name(),
            seen.messagesPerBulk(),
            seen.documentsPerSecond());
      }
    }
    for (BulkMeasurement seen : all) {
      index.create(seen.endpoint().index(), shards);
      seen.measureAllocations(way -> load(way, bodies, seconds / 2));
      index.delete(seen.endpoint().index());
    }
    table.add(title, all);
    SingleShardBulkBounds.check(checks, title, shards, all.getFirst(), all.getLast());
  }

  private BulkLoadGenerator.Result load(BulkEndpoint way, List<LogLines> bodies, double duration) {
    List<byte[]> requests = new ArrayList<>();
    bodies.forEach(body -> requests.add(body.request(way.index())));
    return BulkLoadGenerator.run(
        way.address(), requests, bodies.getFirst().size(), clients, duration);
  }

  /** Checks that a node finds each document of single-shard bulks by its id, without routing. */
  private void checkIds(DataNodeCluster cluster, WriteIndex index, BulkEndpoint way)
      throws IOException {
    index.create(way.index(), shards);
    int count = Math.min(MAX_CHECKED_IDS, documents.getFirst());
    LogLines lines = new LogLines(new Random(count), count);
    int found = 0;
    try (BlockingHttpConnection connection = BlockingHttpConnection.withBodies(way.address())) {
      int status = connection.exchange(lines.request(way.index()));
      BulkResponseSummary reply = BulkResponseSummary.parse(status, connection.body(), count);
      RestClient rest = cluster.rest();
      for (String id : reply.ids()) {
        String path = "/" + way.index() + "/_doc/" + id + "?_source=false";
        found += rest.send("GET", path).status() == 200 ? 1 : 0;
      }
    } finally {
      index.delete(way.index());
    }
    checks.checkAtLeast(
        "single-shard bulks", "documents that a node finds by their ids", found, count);
  }
}
