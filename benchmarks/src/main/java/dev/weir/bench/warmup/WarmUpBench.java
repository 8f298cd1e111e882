package dev.weir.bench.warmup;

import dev.weir.bench.BenchClusters;
import dev.weir.bench.MeasuredGateway;
import dev.weir.bench.ResultChecks;
import dev.weir.testkit.ClusterSpec;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.process.ProcessPriority;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./weir bench warm-up}: the first minute of a node that restarted. */
@Command(
    name = "warm-up",
    description = "latency of a node in its first minute, with the warm-up of copies and without")
public final class WarmUpBench implements Callable<Integer> {
  private static final double MAX_RATIO = 1.5;

  /** Of three nodes; a node with far fewer calls would meet the other bound by avoidance. */
  private static final double MIN_SHARE = 0.15;

  private static final int CHUNK = 2000;
  private static final int MAX_WAITS = 600;
  private static final int WAIT_MILLIS = 100;

  @Option(names = "--documents", description = "documents searched (default: ${DEFAULT-VALUE})")
  private int documents = 200_000;

  @Option(names = "--clients", description = "concurrent clients (default: ${DEFAULT-VALUE})")
  private int clients = 8;

  @Option(names = "--rate", description = "searches a second (default: ${DEFAULT-VALUE})")
  private double rate = 60;

  @Option(names = "--rounds", description = "rounds, alternately (default: ${DEFAULT-VALUE})")
  private int rounds = 2;

  @Option(
      names = "--calm",
      description =
          "seconds of load before each restart; a third of it warms up the gateway"
              + " (default: ${DEFAULT-VALUE})")
  private double calm = 45;

  @Option(
      names = "--seconds",
      description = "measured seconds after the return (default: ${DEFAULT-VALUE})")
  private double seconds = 60;

  @Option(
      names = "--low-priority",
      description =
          "start the node at the lowest priority, as if on a machine of its own; needs root")
  private boolean lowPriority;

  private final PrintStream out = System.out;
  private final BenchClusters clusters;
  private long errors;

  /** What a round measures now. */
  private enum Stage {
    /** Nothing. */
    IGNORED,
    /** Clients, with all nodes. */
    CALM,
    /** Clients, while the node starts; its first call ends this. */
    RETURNING,
    /** Clients and calls. */
    RETURNED
  }

  /** Creates the benchmark. */
  public WarmUpBench(BenchClusters clusters) {
    this.clusters = clusters;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (lowPriority) {
      ProcessPriority.requireRestore();
    }
    ClusterSpec spec =
        ClusterSpec.ofNodes(3)
            .withName("weir-bench-warm-up")
            .mapNodes(node -> node.withHeap("1g"))
            .withProgress(out::println);
    List<ReturningNodeLatencies> warmed = new ArrayList<>();
    try (BenchClusters.Lease lease = clusters.lease(spec)) {
      load(lease.cluster());
      for (int round = 1; round <= rounds; round++) {
        print("round " + round + ", no warm-up", runRound(lease.cluster(), false));
        ReturningNodeLatencies seen = runRound(lease.cluster(), true);
        print("round " + round + ", warm-up", seen);
        warmed.add(seen);
      }
    }
    ResultChecks checks = new ResultChecks(out);
    for (int round = 1; round <= rounds; round++) {
      ReturningNodeLatencies seen = warmed.get(round - 1);
      String title = "warm-up, round " + round;
      checks.checkAtMost(
          title,
          "p99 of the returned node relative to the others'",
          seen.returningRatio(),
          MAX_RATIO);
      checks.checkAtLeast(
          title, "the returned node's share of the calls", seen.returningShare(), MIN_SHARE);
    }
    checks.checkTrue("all", "no search failed after the return or before", errors == 0);
    checks.print();
    return checks.exitCode();
  }

  private void print(String title, ReturningNodeLatencies seen) {
    out.printf(
        Locale.ROOT,
        "%s: p99 of calls: returned node %.1f ms, others %.1f ms; of clients: calm %.1f ms, then"
            + " %.1f ms; calls of the returned node %d, a share of %.2f%n",
        title,
        seen.returningMillis(),
        seen.otherMillis(),
        seen.calmClientMillis(),
        seen.clientMillis(),
        seen.returningCalls(),
        seen.returningShare());
  }

  private void load(DataNodeCluster cluster) {
    RestClient rest = cluster.rest();
    rest.send(
            "PUT",
            "/" + PacedSearches.INDEX + "?wait_for_active_shards=all",
            """
            {"settings": {
                "number_of_shards": 3, "number_of_replicas": 2, "refresh_interval": "-1",
                "index.unassigned.node_left.delayed_timeout": "10m"},
             "mappings": {"properties": {
                "n": {"type": "long"}, "text": {"type": "text"},
                "user": {"type": "keyword"}, "city": {"type": "keyword"}}}}
            """)
        .orThrow();
    Random random = new Random(1);
    for (int from = 0; from < documents; from += CHUNK) {
      StringBuilder lines = new StringBuilder();
      for (int i = from; i < Math.min(documents, from + CHUNK); i++) {
        lines
            .append("{\"index\":{}}\n{\"n\":")
            .append(i)
            .append(",\"user\":\"user-")
            .append(random.nextInt(Math.max(1, documents / 2)))
            .append("\",\"city\":\"city-")
            .append(random.nextInt(500))
            .append("\",\"text\":\"all word")
            .append(random.nextInt(50))
            .append(" word")
            .append(random.nextInt(50))
            .append("\"}\n");
      }
      rest.bulk(
              "/" + PacedSearches.INDEX + "/_bulk",
              lines.toString().getBytes(StandardCharsets.UTF_8))
          .orThrow();
    }
    rest.send("POST", "/" + PacedSearches.INDEX + "/_refresh").orThrow();
    rest.send("POST", "/" + PacedSearches.INDEX + "/_flush?force=true").orThrow();
    out.printf("loaded %d documents%n", documents);
  }

  /** A gateway of its own for each round: one that idles would warm the node too. */
  private ReturningNodeLatencies runRound(DataNodeCluster cluster, boolean isWarmed)
      throws IOException, InterruptedException {
    ReturningNodeLatencies seen = new ReturningNodeLatencies();
    DataNode returning = cluster.node(2);
    List<String> seeds = new ArrayList<>(cluster.seeds());
    AtomicReference<Stage> stage = new AtomicReference<>(Stage.IGNORED);
    try (MeasuredGateway gateway =
            MeasuredGateway.start(
                seeds, "search:\n  warm-up: {enabled: " + isWarmed + ", max-duration: 30s}\n");
        PacedSearches load =
            PacedSearches.start(
                gateway.address(), clients, rate, listener(stage, returning.name(), seen))) {
      Thread.sleep((long) (calm * 1000 / 3));
      stage.set(Stage.CALM);
      Thread.sleep((long) (calm * 2000 / 3));
      stage.set(Stage.IGNORED);
      long before = load.errors();
      returning.stop();
      cluster.awaitNodes(cluster.nodes().size() - 1);
      long lost = load.errors() - before; // of the stop itself, which is not measured here
      stage.set(Stage.RETURNING);
      if (lowPriority) {
        returning.startAtLowPriority();
      } else {
        returning.start();
      }
      cluster.awaitGreen();
      for (int waits = 0; waits < MAX_WAITS && stage.get() == Stage.RETURNING; waits++) {
        Thread.sleep(WAIT_MILLIS);
      }
      Thread.sleep((long) (seconds * 1000));
      stage.set(Stage.IGNORED);
      errors += load.errors() - lost;
    }
    return seen;
  }

  private static PacedSearches.Listener listener(
      AtomicReference<Stage> stage, String returning, ReturningNodeLatencies seen) {
    return new PacedSearches.Listener() {
      @Override
      public void onSearch(long micros) {
        if (stage.get() != Stage.IGNORED) {
          seen.addClient(stage.get() == Stage.CALM, micros);
        }
      }

      @Override
      public void onCall(String nodeName, long micros) {
        boolean isReturning = nodeName.equals(returning);
        if (isReturning) {
          stage.compareAndSet(Stage.RETURNING, Stage.RETURNED);
        }
        if (stage.get() == Stage.RETURNED) {
          seen.addCall(isReturning, micros);
        }
      }
    };
  }
}
