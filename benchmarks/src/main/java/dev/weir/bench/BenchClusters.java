package dev.weir.bench;

import dev.weir.testkit.ClusterSpec;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.NodePlugin;
import dev.weir.testkit.NodeSpec;
import dev.weir.testkit.RestClient;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Provides the data nodes of a benchmark. A measured benchmark gets its own nodes. The benchmarks
 * of a smoke run share nodes by the cluster's name; each starts with empty nodes. Confined to one
 * thread.
 */
public final class BenchClusters implements AutoCloseable {
  private static final String SHARED_HEAP = "512m";

  private final boolean shared;
  private final Map<String, DataNodeCluster> running = new LinkedHashMap<>();

  private BenchClusters(boolean shared) {
    this.shared = shared;
  }

  /** Creates a provider that starts a cluster for each lease and stops it when the lease ends. */
  public static BenchClusters perBenchmark() {
    return new BenchClusters(false);
  }

  /**
   * Creates a provider that starts each named cluster once, with small heaps, and stops all of them
   * when it is closed.
   */
  public static BenchClusters shared() {
    return new BenchClusters(true);
  }

  /** A cluster for one benchmark, which closes the lease. */
  public static final class Lease implements AutoCloseable {
    private final DataNodeCluster cluster;
    private final Runnable release;

    private Lease(DataNodeCluster cluster, Runnable release) {
      this.cluster = cluster;
      this.release = release;
    }

    /** Returns the cluster; all of its nodes have started, and its health is green. */
    public DataNodeCluster cluster() {
      return cluster;
    }

    @Override
    public void close() {
      release.run();
    }
  }

  /** Leases a cluster. Blocks until its nodes are ready. */
  public Lease lease(ClusterSpec spec) {
    if (!shared) {
      DataNodeCluster cluster = DataNodeCluster.start(spec);
      return new Lease(cluster, cluster::close);
    }
    DataNodeCluster cluster =
        running.computeIfAbsent(spec.name(), name -> DataNodeCluster.start(asShared(spec)));
    return new Lease(cluster, () -> deleteIndices(cluster));
  }

  /**
   * Returns a specification with small heaps and a start image, which saves most of the nodes'
   * start time.
   */
  private static ClusterSpec asShared(ClusterSpec spec) {
    ClusterSpec small = spec.mapNodes(BenchClusters::asShared);
    return new ClusterSpec(
        small.name(), small.nodes(), small.ports(), small.folder(), true, small.progress());
  }

  /**
   * Returns a specification with the fault plugin: any benchmark may be the first to lease the
   * nodes, and one of them injects faults.
   */
  private static NodeSpec asShared(NodeSpec node) {
    NodeSpec small = node.withHeap(SHARED_HEAP);
    return small.plugins().contains(NodePlugin.FAULTS)
        ? small
        : small.withPlugin(NodePlugin.FAULTS);
  }

  private static void deleteIndices(DataNodeCluster cluster) {
    RestClient rest = cluster.rest();
    rest.send("GET", "/_cat/indices?h=index")
        .orThrow()
        .body()
        .lines()
        .map(String::strip)
        .filter(index -> !index.isEmpty() && !index.startsWith("."))
        .forEach(index -> rest.send("DELETE", "/" + index).orThrow());
  }

  @Override
  public void close() {
    running.values().forEach(DataNodeCluster::close);
    running.clear();
  }
}
