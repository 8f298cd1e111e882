package dev.weir.bench;

import dev.weir.testkit.ClusterSpec;
import dev.weir.testkit.NodePlugin;
import dev.weir.testkit.NodeSpec;
import java.io.PrintStream;

/** The cluster of most benchmarks: three data nodes and a coordinating-only node. */
public final class BenchCluster {
  private BenchCluster() {}

  /**
   * Returns the specification: nodes 0 to 2 hold data, node 3 only coordinates; each has a heap of
   * 1 GB.
   *
   * @param out receives a line about each step of the start
   */
  public static ClusterSpec spec(PrintStream out) {
    return ClusterSpec.ofNodes(3)
        .withName("weir-bench")
        .mapNodes(node -> node.withHeap("1g"))
        .withNode(NodeSpec.of("coordinator").asCoordinatingOnly().withHeap("1g"))
        .withoutPlugin()
        .withoutAotCache()
        .withProgress(out::println);
  }

  /**
   * Returns the specification of a cluster whose nodes can be made slow: nodes 0 to 2 hold data,
   * node 3 only coordinates; each has a heap of 1 GB.
   *
   * @param out receives a line about each step of the start
   */
  public static ClusterSpec specWithFaults(PrintStream out) {
    return ClusterSpec.ofNodes(3)
        .withName("weir-bench")
        .mapNodes(node -> node.withoutPlugins().withHeap("1g").withPlugin(NodePlugin.FAULTS))
        .withNode(NodeSpec.of("coordinator").withoutPlugins().asCoordinatingOnly().withHeap("1g"))
        .withoutAotCache()
        .withProgress(out::println);
  }
}
