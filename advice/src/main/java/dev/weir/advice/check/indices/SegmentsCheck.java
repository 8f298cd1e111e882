package dev.weir.advice.check.indices;

import dev.weir.advice.check.ReadOnlyBlock;
import dev.weir.advice.finding.Check;
import dev.weir.advice.finding.Finding;
import dev.weir.advice.finding.Mend;
import dev.weir.advice.finding.Severity;
import dev.weir.advice.snapshot.ApiSource;
import dev.weir.advice.snapshot.ClusterSnapshot;
import dev.weir.advice.snapshot.IndexFacts;
import java.util.List;
import java.util.Set;

/** Indices that are no longer written, and still have many segments. */
public final class SegmentsCheck implements Check {
  /**
   * Segments of a shard. A keyword field takes about 1 KB of heap in each segment, however many
   * terms it has, and a search looks its terms up in each.
   */
  static final long MAX_SEGMENTS_PER_SHARD = 5;

  @Override
  public String name() {
    return "segments";
  }

  @Override
  public Set<ApiSource> needs() {
    return Set.of(
        ApiSource.INDICES, ApiSource.INDEX_SETTINGS, ApiSource.ALIASES, ApiSource.DATA_STREAMS);
  }

  @Override
  public List<Finding> run(ClusterSnapshot snapshot) {
    return snapshot.openIndices().stream()
        .filter(IndexFacts::isNoLongerWritten)
        .filter(index -> index.size().segments() > MAX_SEGMENTS_PER_SHARD * index.size().shards())
        .map(index ->
            new Finding(
                name(),
                Severity.ADVICE,
                index.name(),
                index.size().segments()
                    + " segments in "
                    + index.size().shards()
                    + " primaries (expected: "
                    + MAX_SEGMENTS_PER_SHARD
                    + " for each at most)",
                "The index takes no more documents, so nothing will merge its segments. Each costs"
                    + " heap for each field, and time in every search.",
                mend(index)))
        .toList();
  }

  private static Mend mend(IndexFacts index) {
    String merge = "/" + Mend.encode(index.name()) + "/_forcemerge?max_num_segments=1";
    Mend mend =
        Mend.of("It reads and writes the index once: run it when the nodes are idle.")
            .call("POST", merge, "");
    return ReadOnlyBlock.liftDuring(mend, index);
  }
}
