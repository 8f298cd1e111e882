package dev.weir.advice.check.indices;

import dev.weir.advice.check.ShrinkMend;
import dev.weir.advice.finding.Check;
import dev.weir.advice.finding.Finding;
import dev.weir.advice.finding.Severity;
import dev.weir.advice.snapshot.ApiSource;
import dev.weir.advice.snapshot.ClusterSnapshot;
import dev.weir.advice.snapshot.IndexFacts;
import dev.weir.advice.snapshot.NodeFacts;
import dev.weir.model.DisplayFormat;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/** Indices split into many small shards. */
public final class TinyShardsCheck implements Check {
  /** An index of up to this many primaries may be split for its growth. */
  static final int MAX_PRIMARIES = 4;

  /** A shard below this size takes more time for its round trip than for its search. */
  static final long MIN_SHARD_BYTES = 1L << 30;

  @Override
  public String name() {
    return "tiny-shards";
  }

  @Override
  public Set<ApiSource> needs() {
    return Set.of(ApiSource.NODES, ApiSource.INDICES, ApiSource.SHARDS);
  }

  @Override
  public List<Finding> run(ClusterSnapshot snapshot) {
    return snapshot.openIndices().stream()
        .filter(index -> index.size().shards() > MAX_PRIMARIES && ShrinkMend.isFor(index))
        .filter(index -> index.size().bytes() / index.size().shards() < MIN_SHARD_BYTES)
        .filter(index -> !snapshot.dataNodes().isEmpty())
        .map(index ->
            new Finding(
                name(),
                Severity.HINT,
                index.name(),
                index.size().shards()
                    + " primaries of "
                    + DisplayFormat.formatBytes(index.size().bytes() / index.size().shards())
                    + " each (expected: 1gb at least, or "
                    + MAX_PRIMARIES
                    + " primaries at most)",
                "A search asks every shard and a bulk writes to every shard. Bulks of 1000"
                    + " documents take twice the CPU over 120 shards as over one.",
                ShrinkMend.of(index, node(snapshot, index))))
        .toList();
  }

  /** The node that has the most copies of the index already. */
  private static String node(ClusterSnapshot snapshot, IndexFacts index) {
    return snapshot.dataNodes().stream()
        .map(NodeFacts::name)
        .max(
            Comparator.comparingLong(node ->
                snapshot.shardsOf(node).stream()
                    .filter(shard -> shard.index().equals(index.name()))
                    .count()))
        .orElseThrow();
  }
}
