package dev.weir.testkit;

/** Starts two data nodes, freezes one, tells their process ids, and waits to be killed. */
public final class HarnessMain {
  private HarnessMain() {}

  /** Starts the nodes. */
  public static void main(String[] args) throws InterruptedException {
    DataNodeCluster nodes =
        DataNodeCluster.start(
            ClusterSpec.ofNodes(2).withName("orphans").mapNodes(node -> node.withHeap("256m")));
    nodes.node(1).freeze();
    System.out.println("pids " + nodes.node(0).pid() + " " + nodes.node(1).pid());
    Thread.currentThread().join();
  }
}
