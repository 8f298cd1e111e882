package dev.weir.advice.check.indices;

import dev.weir.advice.finding.Check;
import dev.weir.advice.finding.Finding;
import dev.weir.advice.finding.Mend;
import dev.weir.advice.finding.Severity;
import dev.weir.advice.snapshot.ApiSource;
import dev.weir.advice.snapshot.ClusterSnapshot;
import dev.weir.advice.snapshot.IndexFacts;
import dev.weir.advice.snapshot.ShardFacts;
import dev.weir.model.DisplayFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Shards that are too large to be moved and merged in good time. */
public final class LargeShardsCheck implements Check {
  /** At OpenSearch's default rate a copy of 50 GB takes 21 minutes to recover. */
  static final long MAX_BYTES = 50L << 30;

  @Override
  public String name() {
    return "large-shards";
  }

  @Override
  public Set<ApiSource> needs() {
    return Set.of(ApiSource.INDICES, ApiSource.SHARDS);
  }

  @Override
  public List<Finding> run(ClusterSnapshot snapshot) {
    Map<String, ShardFacts> largest = new TreeMap<>();
    for (ShardFacts shard : snapshot.shards()) {
      if (shard.primary() && shard.bytes() > MAX_BYTES) {
        largest.merge(
            shard.index(), shard, (one, other) -> one.bytes() >= other.bytes() ? one : other);
      }
    }
    List<Finding> findings = new ArrayList<>();
    for (IndexFacts index : snapshot.openIndices()) {
      ShardFacts shard = largest.get(index.name());
      if (shard != null) {
        findings.add(
            new Finding(
                name(),
                Severity.ADVICE,
                index.name() + "[" + shard.shard() + "]",
                DisplayFormat.formatBytes(shard.bytes()) + " (expected: 50gb at most)",
                "It is recovered, moved and merged as a whole, and one thread searches each of its"
                    + " segments.",
                mend(index)));
      }
    }
    return findings;
  }

  private static Mend mend(IndexFacts index) {
    if (index.isBackingIndex()) {
      return Mend.of(
          "Roll the data stream over at 30gb of a primary (min_primary_shard_size in its policy);"
              + " this index stays as it is.");
    }
    String split = index.name() + "-split";
    return Mend.of(
            "Stop writing first: the first call rejects all writes. Then move the aliases to "
                + split
                + ", and delete "
                + index.name()
                + " once the counts agree. For a series of indices, roll over at 30gb"
                + " (min_primary_shard_size) instead. A split links files, and needs little disk"
                + " at first.")
        .indexSettings(index.name(), "{\"index.blocks.write\": true}")
        .call(
            "POST",
            "/" + Mend.encode(index.name()) + "/_split/" + Mend.encode(split),
            "{\"settings\": {\"index.number_of_shards\": "
                + 2 * index.size().shards()
                + ", \"index.blocks.write\": null}}");
  }
}
