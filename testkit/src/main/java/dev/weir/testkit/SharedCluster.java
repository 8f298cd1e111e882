package dev.weir.testkit;

/**
 * The one cluster that all tests of a JVM may share: three nodes with Weir's plugin, started at
 * first use, ended with the JVM.
 *
 * <p>Whoever uses it leaves the nodes running and the cluster's settings as they were, and uses
 * index names of its own.
 */
public final class SharedCluster {
  private static final int NODES = 3;

  private SharedCluster() {}

  /** The cluster; the first caller waits for its start. */
  public static DataNodeCluster get() {
    return Holder.CLUSTER;
  }

  private static final class Holder {
    static final DataNodeCluster CLUSTER = DataNodeCluster.start(spec());

    private static ClusterSpec spec() {
      ClusterSpec spec =
          ClusterSpec.ofNodes(NODES).withName("weir-shared").withProgress(Holder::report);
      // A shard on its way counts as another copy in the answers to writes.
      return spec.mapNodes(node ->
          node.withSetting("node.attr.zone", zone(node))
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
