package dev.weir.testkit.secured;

import dev.weir.testkit.ClusterSpec;
import dev.weir.testkit.NodeSpec;

/**
 * The one secured cluster that all tests of a JVM may share: started at first use with the
 * documents of {@link SecuredSampleData}, ended with the JVM.
 *
 * <p>A test that changes users, roles or documents restores them when it ends.
 */
public final class SharedSecuredCluster {
  private static final int NODES = 2;

  private SharedSecuredCluster() {}

  /** The cluster; the first caller waits for its start. */
  public static SecuredCluster get() {
    return Holder.CLUSTER;
  }

  private static final class Holder {
    static final SecuredCluster CLUSTER = start();

    private static SecuredCluster start() {
      ClusterSpec nodes =
          ClusterSpec.ofNodes(NODES)
              .withName("weir-shared-secured")
              .withProgress(Holder::report)
              .mapNodes(NodeSpec::withSlowFaultDetection);
      SecuredCluster cluster = SecuredCluster.start(SecuredClusterSpec.of(nodes));
      SecuredSampleData.load(cluster.nodes().rest());
      cluster.nodes().awaitGreen();
      return cluster;
    }

    private static void report(String line) {
      System.out.println("[shared secured cluster] " + line);
    }
  }
}
