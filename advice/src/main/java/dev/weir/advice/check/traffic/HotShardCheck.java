package dev.weir.advice.check.traffic;

import dev.weir.advice.finding.Check;
import dev.weir.advice.finding.Finding;
import dev.weir.advice.finding.Severity;
import dev.weir.advice.snapshot.ApiSource;
import dev.weir.advice.snapshot.ClusterSnapshot;
import dev.weir.advice.snapshot.IndexFacts;
import dev.weir.advice.snapshot.ShardFacts;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Shards that get many more queries than the others of their index, because of routing values. */
public final class HotShardCheck implements Check {
  /** How many times the queries of its siblings make a shard hot: chance does not reach it. */
  static final double MIN_RATIO = 3;

  /** Fewer queries since its copies were opened say little. */
  static final long MIN_QUERIES = 500;

  @Override
  public String name() {
    return "hot-shard";
  }

  @Override
  public Set<ApiSource> needs() {
    return Set.of(ApiSource.NODES, ApiSource.INDICES, ApiSource.SHARDS);
  }

  @Override
  public List<Finding> run(ClusterSnapshot snapshot) {
    Map<String, Map<Integer, Long>> queries = new TreeMap<>();
    for (ShardFacts shard : snapshot.shards()) {
      queries
          .computeIfAbsent(shard.index(), any -> new TreeMap<>())
          .merge(shard.shard(), shard.queries(), Long::sum);
    }
    int wanted = HotCopies.wanted(snapshot.dataNodes().size());
    List<Finding> findings = new ArrayList<>();
    for (IndexFacts index : snapshot.openIndices()) {
      Map<Integer, Long> shards = queries.getOrDefault(index.name(), Map.of());
      long total = shards.values().stream().mapToLong(Long::longValue).sum();
      shards.forEach((shard, count) -> {
        double siblings = (double) (total - count) / Math.max(1, shards.size() - 1);
        if (shards.size() > 1
            && count >= MIN_QUERIES
            && count > MIN_RATIO * siblings
            && index.size().replicas() + 1 < wanted) {
          findings.add(
              new Finding(
                  name(),
                  Severity.ADVICE,
                  index.name() + "[" + shard + "]",
                  count
                      + " queries, beside "
                      + Math.round(siblings)
                      + " of each other shard of the index (expected: three times as many at"
                      + " most)",
                  "Requests with a routing value go to one shard. Its nodes carry them alone.",
                  HotCopies.mend(index, wanted - 1)));
        }
      });
    }
    return findings;
  }
}
