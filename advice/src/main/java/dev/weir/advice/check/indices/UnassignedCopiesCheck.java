package dev.weir.advice.check.indices;

import dev.weir.advice.finding.Check;
import dev.weir.advice.finding.Finding;
import dev.weir.advice.finding.Mend;
import dev.weir.advice.finding.Severity;
import dev.weir.advice.snapshot.ApiSource;
import dev.weir.advice.snapshot.ClusterSnapshot;
import dev.weir.advice.snapshot.ShardFacts;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Copies of shards that are on no node. */
public final class UnassignedCopiesCheck implements Check {

  @Override
  public String name() {
    return "unassigned-copies";
  }

  @Override
  public Set<ApiSource> needs() {
    return Set.of(ApiSource.NODES, ApiSource.SHARDS, ApiSource.INDICES, ApiSource.INDEX_SETTINGS);
  }

  @Override
  public List<Finding> run(ClusterSnapshot snapshot) {
    Map<String, List<ShardFacts>> byIndex =
        snapshot.shards().stream()
            .filter(shard -> shard.node().isEmpty())
            .collect(Collectors.groupingBy(ShardFacts::index, TreeMap::new, Collectors.toList()));
    Map<String, Integer> replicasOf = new HashMap<>();
    snapshot.indices().forEach(index -> replicasOf.put(index.name(), index.size().replicas()));
    int nodes = snapshot.dataNodes().size();
    List<Finding> findings = new ArrayList<>();
    byIndex.forEach((name, copies) -> {
      int replicas = replicasOf.getOrDefault(name, 0);
      ShardFacts worst =
          copies.stream().filter(ShardFacts::primary).findFirst().orElse(copies.getFirst());
      boolean isPrimaryMissing = worst.primary();
      boolean isTooMany = nodes > 0 && replicas >= nodes && !isPrimaryMissing;
      findings.add(
          new Finding(
              name(),
              isPrimaryMissing ? Severity.PROBLEM : Severity.ADVICE,
              name,
              copies.size()
                  + " copies on no node"
                  + (isTooMany
                      ? "; "
                          + replicas
                          + " replicas need "
                          + (replicas + 1)
                          + " data nodes, of "
                          + nodes
                      : "")
                  + " (expected: none)",
              isPrimaryMissing
                  ? "Searches of these shards fail, and so do writes."
                  : "These copies share no load, and replace no lost copy.",
              isTooMany
                  ? Mend.of("Or add data nodes.")
                      .indexSettings(name, "{\"index.number_of_replicas\": " + (nodes - 1) + "}")
                  : Mend.of("The second call says why, if the first does not help.")
                      .call("POST", "/_cluster/reroute?retry_failed=true&metric=none", "")
                      .call(
                          "GET",
                          "/_cluster/allocation/explain?pretty",
                          "{\"index\": \"%s\", \"shard\": %d, \"primary\": %b}"
                              .formatted(name, worst.shard(), worst.primary()))));
    });
    return findings;
  }
}
