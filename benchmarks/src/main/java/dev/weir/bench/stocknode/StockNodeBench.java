package dev.weir.bench.stocknode;

import dev.weir.bench.BenchClusters;
import dev.weir.testkit.ClusterSpec;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures one stock node without a gateway. States what it sees, and judges no figure. */
@Command(
    name = "stock-node",
    description = {
      "what a stock node does: heap of segments, creation of indices, composite aggregations,",
      "query cache, merge policies, order of fetches"
    })
public final class StockNodeBench implements Callable<Integer> {
  @Option(
      names = "--segments",
      description = "segments of the largest index (default: ${DEFAULT-VALUE})")
  private int segments = 100;

  @Option(
      names = "--shards",
      description = "shards beside which an index is created (default: ${DEFAULT-VALUE})")
  private int shards = 2000;

  @Option(
      names = "--documents",
      description = "documents of the other indices (default: ${DEFAULT-VALUE})")
  private int documents = 400_000;

  @Option(
      names = "--collections",
      description = "of garbage, for each figure of the heap (default: ${DEFAULT-VALUE})")
  private int collections = 3;

  @Option(names = "--only", description = "only parts whose name contains this")
  private String only = "";

  private final PrintStream out = System.out;
  private final BenchClusters clusters;

  /** Creates the command. */
  public StockNodeBench(BenchClusters clusters) {
    this.clusters = clusters;
  }

  @Override
  public Integer call() {
    ClusterSpec spec =
        ClusterSpec.ofNodes(1)
            .withName("weir-bench-stock")
            .withoutPlugin()
            .mapNodes(node -> node.withHeap("2g"))
            .withoutAotCache()
            .withProgress(out::println);
    try (BenchClusters.Lease lease = clusters.lease(spec);
        MeasuredNode node = new MeasuredNode(lease.cluster().node(0), collections)) {
      Map<String, Runnable> parts = new LinkedHashMap<>();
      parts.put("segments", () -> new SegmentHeap(node, out).measure(segments));
      parts.put("composite", () -> new CompositePages(node, out).measure(documents));
      parts.put("query-cache", () -> new QueryCacheUse(node, out).measure(documents));
      parts.put("merges", () -> new MergePolicies(node, out).measure(documents));
      parts.put("fetch", () -> new FetchOrder(node, out).measure(documents / 4));
      parts.put("shards", () -> new IndexCreation(node, out).measure(shards));
      parts.forEach((name, part) -> {
        if (name.contains(only)) {
          part.run();
        }
      });
    }
    return 0;
  }
}
