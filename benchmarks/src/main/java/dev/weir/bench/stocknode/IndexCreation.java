package dev.weir.bench.stocknode;

import java.io.PrintStream;
import java.util.Locale;

/** The time to create one more index beside the number of shards that the cluster has. */
final class IndexCreation {
  private static final int STEPS = 4;
  private static final int CREATIONS = 5;

  private final MeasuredNode node;
  private final PrintStream out;
  private int created;

  IndexCreation(MeasuredNode node, PrintStream out) {
    this.node = node;
    this.out = out;
  }

  /** Prints a row for each quarter of the shards, which are in indices of ten shards each. */
  void measure(int shards) {
    setMaxShards(Integer.toString(2 * shards + 1000));
    out.printf(
        "%n%-10s %18s %18s %18s%n", "shards", "create index ms", "its CPU ms", "heap KB a shard");
    long before = node.usedHeap();
    for (int step = 0; step <= STEPS; step++) {
      int wanted = shards * step / STEPS;
      while (created < wanted) {
        createIndex("held-" + created, 10);
        created += 10;
      }
      double heap = node.usedHeap() - (double) before;
      double[] millis = new double[1];
      double cpu =
          node.cpuMillis(() ->
              millis[0] = MeasuredNode.medianMillis(CREATIONS, () -> createIndex("one-more", 1)));
      out.printf(
          Locale.ROOT,
          "%-10d %18.1f %18.1f %18.1f%n",
          wanted,
          millis[0],
          cpu / CREATIONS,
          wanted == 0 ? 0 : heap / 1e3 / wanted);
    }
    node.delete("held-*");
    setMaxShards("null");
  }

  /** Creates an index; one of a single shard is deleted again. */
  private void createIndex(String name, int shards) {
    node.send(
        "PUT",
        "/" + name + "?wait_for_active_shards=all",
        "{\"settings\":{\"number_of_replicas\":0,\"number_of_shards\":" + shards + "}}");
    if (shards == 1) {
      node.delete(name);
    }
  }

  private void setMaxShards(String value) {
    node.send(
        "PUT",
        "/_cluster/settings",
        "{\"transient\":{\"cluster.max_shards_per_node\":"
            + value
            + ",\"action.destructive_requires_name\":"
            + (value.equals("null") ? "null" : "false")
            + "}}");
  }
}
