package dev.weir.it.plugin;

import dev.weir.testkit.ClusterSpec;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.NodeSpec;

/** Three nodes without the plugin, started at first use, ended with the JVM. */
final class StockNodes {
  private StockNodes() {}

  static DataNodeCluster get() {
    return Holder.CLUSTER;
  }

  private static final class Holder {
    static final DataNodeCluster CLUSTER =
        DataNodeCluster.start(
            ClusterSpec.ofNodes(3)
                .withName("weir-stock")
                .withoutPlugin()
                .mapNodes(NodeSpec::withSlowFaultDetection));
  }
}
