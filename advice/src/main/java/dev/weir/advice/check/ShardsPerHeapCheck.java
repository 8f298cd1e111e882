package dev.weir.advice.check;

import dev.weir.advice.finding.Check;
import dev.weir.advice.finding.Finding;
import dev.weir.advice.finding.Mend;
import dev.weir.advice.finding.Severity;
import dev.weir.advice.snapshot.ApiSource;
import dev.weir.advice.snapshot.ClusterSnapshot;
import dev.weir.advice.snapshot.NodeFacts;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/** How many copies of shards a node has for each gigabyte of its heap. */
public final class ShardsPerHeapCheck implements Check {
  /**
   * Copies for each gigabyte. An empty copy takes 60 KB of heap, one with data about 1 KB for each
   * keyword field of each segment, and each adds to the manager's work: creating an index takes
   * twice as long beside 2000 shards as in an empty cluster.
   */
  static final double MAX_COPIES_PER_GIGABYTE = 25;

  private static final double GIGABYTE = 1L << 30;

  @Override
  public String name() {
    return "shards-per-heap";
  }

  @Override
  public Set<ApiSource> needs() {
    return Set.of(ApiSource.NODES, ApiSource.SHARDS, ApiSource.INDICES, ApiSource.INDEX_SETTINGS);
  }

  @Override
  public List<Finding> run(ClusterSnapshot snapshot) {
    Mend mend = mend(snapshot);
    List<Finding> findings = new ArrayList<>();
    for (NodeFacts node : snapshot.dataNodes()) {
      int copies = snapshot.shardsOf(node.name()).size();
      double allowed = MAX_COPIES_PER_GIGABYTE * node.memory().heapBytes() / GIGABYTE;
      if (node.memory().heapBytes() > 0 && copies > allowed) {
        findings.add(
            new Finding(
                name(),
                Severity.ADVICE,
                node.name(),
                copies
                    + " copies of shards in "
                    + (node.memory().heapBytes() >> 20)
                    + " MB of heap (expected: "
                    + (int) allowed
                    + " at most, "
                    + (int) MAX_COPIES_PER_GIGABYTE
                    + " for each GB)",
                "Each shard costs heap on its node, and the manager's time for each change of"
                    + " the cluster.",
                mend));
      }
    }
    return findings;
  }

  /** Shrinks the index with the most primaries if a node has room, or else lists them. */
  private static Mend mend(ClusterSnapshot snapshot) {
    return snapshot.openIndices().stream()
        .filter(ShrinkMend::isFor)
        .max(Comparator.comparingInt(index -> index.size().shards()))
        .flatMap(index -> ShrinkMend.of(index, snapshot))
        .orElseGet(() ->
            Mend.of("Delete or merge small indices; this lists them.")
                .call(
                    "GET", "/_cat/indices?v&s=pri.store.size&h=index,pri,rep,pri.store.size", ""));
  }
}
