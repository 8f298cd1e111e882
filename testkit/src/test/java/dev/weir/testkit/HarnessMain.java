package dev.weir.testkit;

/** Starts two data nodes, freezes one, tells their process ids, and waits to be killed. */
public final class HarnessMain {
  private HarnessMain() {}

  /** Starts the nodes. */
  public static void main(String[] args) throws InterruptedException {
    DataNodes nodes =
        DataNodes.start(ClusterSpec.of(2).named("orphans").eachNode(node -> node.withHeap("256m")));
    nodes.node(1).freeze();
    System.out.println("pids " + nodes.node(0).pid() + " " + nodes.node(1).pid());
    Thread.currentThread().join();
  }
}
