package dev.weir.bench.bulk;

import dev.weir.bench.BenchCluster;
import dev.weir.bench.MeasuredGateway;
import dev.weir.bench.Verdicts;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.DataNodes;
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

/** Measures bulks of log lines into indices of many shards, on each path. */
@Command(
    name = "bulk",
    description = "Bulks into many shards: what is written, what it costs, what a slow node does")
public final class BulkBench implements Callable<Integer> {
  private static final String POLICY =
      "bulk:\n  directed:\n    indices: [\"" + WriteIndex.DIRECTED + "*\"]\n";

  /** Different bodies, so that no two bulks in a row are alike. */
  private static final int BODIES = 16;

  /** A slow node stands still for 6 ms of every 8. */
  private static final Duration PERIOD = Duration.ofMillis(8);

  private static final double STOPPED = 0.75;

  @Option(names = "--seconds", description = "length of a round (default: ${DEFAULT-VALUE})")
  private double seconds = 8;

  @Option(names = "--rounds", description = "rounds of each load (default: ${DEFAULT-VALUE})")
  private int rounds = 3;

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
      description = "seconds of each path before the rounds (default: ${DEFAULT-VALUE})")
  private double warmUp = 15;

  @Option(
      names = "--settle",
      description = "seconds beside the slow node before each round (default: ${DEFAULT-VALUE})")
  private double settle = 4;

  @Option(
      names = "--soak",
      description = "seconds of bulks while nodes are killed (default: ${DEFAULT-VALUE})")
  private double soak = 60;

  @Option(
      names = "--only",
      description = "only the parts whose name has this in it: healthy, slow, soak")
  private String only = "";

  private final PrintStream out = System.out;
  private final Verdicts verdicts = new Verdicts(System.out);
  private final BulkTable table = new BulkTable(System.out);
  private List<LogLines> bodies = List.of();

  /** For the command line. */
  public BulkBench() {}

  @Override
  public Integer call() throws IOException {
    try (DataNodes cluster = DataNodes.start(BenchCluster.spec(out));
        MeasuredGateway weir = MeasuredGateway.start(cluster.seeds().subList(0, 3), POLICY)) {
      if (part("healthy") || part("slow")) {
        Random random = new Random(documents);
        bodies = Stream.generate(() -> new LogLines(random, documents)).limit(BODIES).toList();
        List<Way> ways = ways(cluster, weir);
        List<Integer> counts = part("healthy") ? shards : List.of(Collections.max(shards));
        warmUp(cluster, ways, counts.getFirst());
        for (int count : counts) {
          measure(cluster, ways, count);
        }
      }
      if (part("soak")) {
        new Soak(out, verdicts, cluster, weir, new WriteIndex(cluster, 1, refresh)).run(soak);
      }
    }
    if (part("healthy") || part("slow")) {
      table.print();
    }
    verdicts.print();
    return 0;
  }

  private boolean part(String name) {
    return name.contains(only);
  }

  private static List<Way> ways(DataNodes cluster, MeasuredGateway weir) {
    DataNode node = cluster.node(3);
    InetSocketAddress coordinator = new InetSocketAddress("127.0.0.1", node.httpPort());
    return List.of(
        new Way(Way.COORDINATOR, coordinator, node.pid(), WriteIndex.PLAIN + "node"),
        new Way(Way.UNDIRECTED, weir.address(), weir.pid(), WriteIndex.PLAIN + "weir"),
        new Way(Way.DIRECTED, weir.address(), weir.pid(), WriteIndex.DIRECTED + "weir"));
  }

  private void warmUp(DataNodes cluster, List<Way> ways, int count) {
    WriteIndex index = new WriteIndex(cluster, replicas, refresh);
    for (Way way : ways) {
      out.println("warming up: " + way.name());
      index.create(way.index(), Math.max(count, 12));
      load(way, Collections.max(clients), warmUp);
      index.delete(way.index());
    }
  }

  private void measure(DataNodes cluster, List<Way> ways, int count) {
    WriteIndex index = new WriteIndex(cluster, replicas, refresh);
    out.printf("making indices of %d shards, %d replicas%n", count, replicas);
    ways.forEach(way -> index.create(way.index(), count));
    int most = Collections.max(clients);
    if (part("healthy")) {
      for (int many : clients) {
        String title = count + " shards, clients: " + many;
        List<Seen> seen = rounds(cluster, ways, index, title, many);
        if (count == Collections.max(shards) && many == most) {
          for (Seen each : seen) {
            each.allocations(way -> load(way, many, seconds / 2));
          }
        }
        BulkTable.judge(verdicts, title, count, seen);
      }
    }
    if (part("slow") && count == Collections.max(shards)) {
      String title = "a slow node, clients: " + most;
      BulkTable.judgeSlow(verdicts, title, slowRounds(cluster, ways, index, title));
    }
    ways.forEach(way -> index.delete(way.index()));
  }

  private List<Seen> rounds(
      DataNodes cluster, List<Way> ways, WriteIndex index, String title, int many) {
    return rounds(
        ways,
        title,
        (way, seen) ->
            seen.add(
                to -> load(to, many, seconds), pids(cluster), () -> index.refresh(way.index())));
  }

  /** One of three at a quarter of its speed; not the manager. */
  private List<Seen> slowRounds(DataNodes cluster, List<Way> ways, WriteIndex index, String title) {
    int many = Collections.max(clients);
    DataNode slow = cluster.node(2);
    return rounds(
        ways,
        title,
        (way, seen) -> {
          slow.slow(PERIOD, STOPPED);
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

  private interface Round {
    void run(Way way, Seen seen);
  }

  private List<Seen> rounds(List<Way> ways, String title, Round round) {
    List<Seen> all = ways.stream().map(Seen::new).toList();
    for (int number = 1; number <= rounds; number++) {
      // what warms nodes up, or wears them out, does so for none more than for another
      for (Seen seen : number % 2 == 1 ? all : all.reversed()) {
        round.run(seen.way(), seen);
        out.printf(
            "%s, round %d: %s: %.0f docs/s, p99 %.0f ms%n",
            title, number, seen.way().name(), seen.rate(), seen.millis(99));
      }
    }
    table.add(title, all);
    return all;
  }

  private static List<Long> pids(DataNodes cluster) {
    return cluster.nodes().stream().limit(3).map(DataNode::pid).toList();
  }

  private BulkLoad.Result load(Way way, int many, double duration) {
    List<byte[]> requests = new ArrayList<>();
    bodies.forEach(body -> requests.add(body.request(way.index())));
    return BulkLoad.run(way.address(), requests, documents, many, duration);
  }
}
