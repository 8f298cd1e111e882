package dev.weir.bench.follow;

import dev.weir.bench.BenchClusters;
import dev.weir.bench.ProcessUsage;
import dev.weir.bench.ResultChecks;
import dev.weir.bench.follow.ShardMover.MovedShard;
import dev.weir.cluster.ClusterFollower;
import dev.weir.cluster.ClusterView;
import dev.weir.testkit.ClusterSpec;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.RestClient;
import java.io.PrintStream;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.opensearch.cluster.routing.IndexRoutingTable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./weir bench follow}: measures gateways that follow real nodes. */
@Command(
    name = "follow",
    description = "staleness of the view after a shard has moved, and the cost of ten gateways")
public final class FollowBench implements Callable<Integer> {
  private static final double MAX_STALENESS_P99_MILLIS = 500;
  private static final double MAX_CPU_SHARE = 0.1;
  private static final double P50 = 50;
  private static final double P99 = 99;
  private static final int MOVING_INDICES = 20;
  private static final double NANOS_PER_MILLI = 1e6;

  @Option(
      names = "--indices",
      description = "further indices of five shards each (default: ${DEFAULT-VALUE})")
  private int indices = 200;

  @Option(names = "--moves", description = "shards that move (default: ${DEFAULT-VALUE})")
  private int moves = 200;

  @Option(
      names = "--gateways",
      description = "gateways that follow at once (default: ${DEFAULT-VALUE})")
  private int gateways = 10;

  @Option(
      names = "--seconds",
      description =
          "seconds of one change each, without gateways and with them (default: ${DEFAULT-VALUE})")
  private int seconds = 60;

  @Option(
      names = "--plugin",
      description = "nodes with the plugin, which answer with the changes of the state")
  private boolean hasPlugin;

  private final PrintStream out = System.out;
  private final BenchClusters clusters;
  private final ResultChecks checks = new ResultChecks(out);
  private final Random random = new Random(1);

  public FollowBench(BenchClusters clusters) {
    this.clusters = clusters;
  }

  @Override
  public Integer call() throws InterruptedException {
    ClusterSpec spec =
        ClusterSpec.ofNodes(3)
            .withName(hasPlugin ? "weir-bench-follow-plugin" : "weir-bench-follow")
            .mapNodes(node -> (hasPlugin ? node : node.withoutPlugins()).withHeap("1g"))
            .withProgress(out::println);
    try (BenchClusters.Lease lease = clusters.lease(spec)) {
      DataNodeCluster cluster = lease.cluster();
      createIndices(cluster.rest());
      ShardMover mover = new ShardMover(cluster, cluster.nodes().subList(0, 3), MOVING_INDICES);
      mover.createIndices();
      measureStaleness(cluster, mover);
      measureCost(cluster, mover);
      mover.restoreSettings();
    }
    checks.print();
    return checks.exitCode();
  }

  private void createIndices(RestClient rest) {
    for (int i = 0; i < indices; i++) {
      rest.send(
              "PUT",
              "/logs-" + i,
              "{\"settings\":{\"number_of_shards\":5,\"number_of_replicas\":0},"
                  + "\"mappings\":{\"properties\":{\"message\":{\"type\":\"text\"}}}}")
          .orThrow();
    }
    out.println("created " + indices + " indices of five shards");
  }

  private void measureStaleness(DataNodeCluster cluster, ShardMover mover)
      throws InterruptedException {
    Histogram staleness = new Histogram(3);
    try (FollowingGateways one = FollowingGateways.start(1, cluster.seeds())) {
      ClusterFollower follower = one.followers().getFirst();
      for (int i = 0; i < moves; i++) {
        MovedShard moved = mover.move();
        while (!isAt(follower.current(), moved)) {
          TimeUnit.MICROSECONDS.sleep(200);
        }
        staleness.recordValue(Math.max(0, System.nanoTime() - moved.seenNanos()));
        TimeUnit.MILLISECONDS.sleep(random.nextInt(200));
      }
      out.printf(
          "staleness after %d moves: p50 %.1f ms, p99 %.1f ms, max %.1f ms; %d whole reads, %d"
              + " routing reads, %d changes, %.3f MB%n",
          moves,
          staleness.getValueAtPercentile(P50) / NANOS_PER_MILLI,
          staleness.getValueAtPercentile(P99) / NANOS_PER_MILLI,
          staleness.getMaxValue() / NANOS_PER_MILLI,
          one.wholeReads(),
          one.routingReads(),
          one.diffs(),
          one.readBytes() / 1e6);
    }
    checks.checkAtMost(
        "staleness",
        "p99, ms",
        staleness.getValueAtPercentile(P99) / NANOS_PER_MILLI,
        MAX_STALENESS_P99_MILLIS);
  }

  private static boolean isAt(ClusterView view, MovedShard moved) {
    IndexRoutingTable table = view.state().routingTable().index(moved.index());
    return table != null
        && table.shard(0).activeShards().stream()
            .anyMatch(copy -> moved.nodeId().equals(copy.currentNodeId()));
  }

  private void measureCost(DataNodeCluster cluster, ShardMover mover) throws InterruptedException {
    List<DataNode> nodes = cluster.nodes();
    DataNode manager = manager(cluster);
    change(mover, 3);
    CpuTimes alone = change(mover, nodes, manager);
    try (FollowingGateways all = FollowingGateways.start(gateways, cluster.seeds())) {
      change(mover, 3);
      long bytes = all.readBytes();
      long whole = all.wholeReads();
      long routing = all.routingReads();
      long diffs = all.diffs();
      CpuTimes followed = change(mover, nodes, manager);
      double managerShare = (followed.manager() - alone.manager()) / (seconds * 1e9);
      double allShare = (followed.all() - alone.all()) / (seconds * 1e9);
      out.printf(
          "%d gateways, a change a second: the cluster manager's CPU %.1f %% of a core (%.1f %%"
              + " without them), all nodes' %.1f %% (%.1f %%); %.3f MB a second, %d whole reads, %d"
              + " routing reads, %d changes%n",
          gateways,
          followed.manager() / (seconds * 1e7),
          alone.manager() / (seconds * 1e7),
          followed.all() / (seconds * 1e7),
          alone.all() / (seconds * 1e7),
          (all.readBytes() - bytes) / 1e6 / seconds,
          all.wholeReads() - whole,
          all.routingReads() - routing,
          all.diffs() - diffs);
      checks.checkAtMost("gateways", "share of the manager's core", managerShare, MAX_CPU_SHARE);
      out.printf("all nodes: %.3f of a core%n", allShare);
    }
  }

  /** The CPU time of nodes, nanoseconds. */
  private record CpuTimes(long manager, long all) {
    static CpuTimes read(DataNode manager, List<DataNode> nodes) {
      return new CpuTimes(
          ProcessUsage.read(manager.pid()).cpuNanos(),
          nodes.stream().mapToLong(node -> ProcessUsage.read(node.pid()).cpuNanos()).sum());
    }

    CpuTimes minus(CpuTimes before) {
      return new CpuTimes(manager - before.manager, all - before.all);
    }
  }

  private CpuTimes change(ShardMover mover, List<DataNode> nodes, DataNode manager)
      throws InterruptedException {
    CpuTimes before = CpuTimes.read(manager, nodes);
    change(mover, seconds);
    return CpuTimes.read(manager, nodes).minus(before);
  }

  private static void change(ShardMover mover, int times) throws InterruptedException {
    long next = System.nanoTime();
    for (int i = 0; i < times; i++) {
      mover.move();
      next += TimeUnit.SECONDS.toNanos(1);
      TimeUnit.NANOSECONDS.sleep(Math.max(0, next - System.nanoTime()));
    }
  }

  private static DataNode manager(DataNodeCluster cluster) {
    String id =
        Objects.requireNonNull(
                cluster.rest().send("GET", "/_cat/cluster_manager?h=id").orThrow().body())
            .strip();
    return cluster.nodes().stream()
        .filter(node -> node.id().startsWith(id))
        .findFirst()
        .orElseThrow();
  }
}
