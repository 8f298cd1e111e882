package dev.weir.bench;

import dev.weir.testkit.ClusterSpec;
import dev.weir.testkit.NodeSpec;
import java.io.PrintStream;

/** What benchmarks run on: three stock data nodes, and a coordinating-only node as the fourth. */
public final class BenchCluster {
  private BenchCluster() {}

  /**
   * All of them with a heap of 1 GB.
   *
   * @param out hears how they start
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
}
