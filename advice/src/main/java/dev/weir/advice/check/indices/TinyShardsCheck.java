package dev.weir.advice.check.indices;

import dev.weir.advice.check.ShrinkMend;
import dev.weir.advice.finding.Check;
import dev.weir.advice.finding.Finding;
import dev.weir.advice.finding.Mend;
import dev.weir.advice.finding.Severity;
import dev.weir.advice.snapshot.ApiSource;
import dev.weir.advice.snapshot.ClusterSnapshot;
import dev.weir.model.DisplayFormat;
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
    return Set.of(
        ApiSource.NODES,
        ApiSource.NODE_STATS,
        ApiSource.INDICES,
        ApiSource.INDEX_SETTINGS,
        ApiSource.SHARDS);
  }

  @Override
  public List<Finding> run(ClusterSnapshot snapshot) {
    return snapshot.openIndices().stream()
        .filter(index -> index.size().shards() > MAX_PRIMARIES && ShrinkMend.isFor(index))
        .filter(index -> index.size().bytes() / index.size().shards() < MIN_SHARD_BYTES)
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
                ShrinkMend.of(index, snapshot)
                    .orElseGet(() ->
                        Mend.of(
                            "No data node is known to have room for a copy of each shard, which"
                                + " the calls that shrink the index need."))))
        .toList();
  }
}
