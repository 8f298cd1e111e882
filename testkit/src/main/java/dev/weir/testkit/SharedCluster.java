package dev.weir.testkit;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The one cluster that all tests of a JVM may share: three nodes, with Weir's plugin where {@link
 * PluginPlacement} says so, started at first use, ended with the JVM.
 *
 * <p>A test that freezes or stops a node calls {@link DataNodeCluster#restore} when it ends. Each
 * test class uses index names of its own.
 */
public final class SharedCluster {
  private static final int NODES = 3;

  private static volatile @Nullable DataNodeCluster started;

  private SharedCluster() {}

  /** The cluster; the first caller waits for its start. */
  public static DataNodeCluster get() {
    return Holder.CLUSTER;
  }

  /** The cluster if a test of this JVM has asked for it. */
  public static Optional<DataNodeCluster> ifStarted() {
    return Optional.ofNullable(started);
  }

  private static final class Holder {
    static final DataNodeCluster CLUSTER = start();

    private static DataNodeCluster start() {
      DataNodeCluster cluster = DataNodeCluster.start(spec());
      started = cluster;
      return cluster;
    }

    private static ClusterSpec spec() {
      ClusterSpec spec =
          ClusterSpec.ofNodes(NODES).withName("weir-shared").withProgress(Holder::report);
      // A shard that is being moved would count as one more copy in the responses to writes.
      return spec.mapNodes(node ->
          node.withSlowFaultDetection()
              .withSetting("node.attr.zone", zone(node))
              .withSetting("cluster.routing.rebalance.enable", "none"));
    }

    private static String zone(NodeSpec node) {
      return "zone-" + node.name();
    }

    private static void report(String line) {
      System.out.println("[shared cluster] " + line);
    }
  }
}
