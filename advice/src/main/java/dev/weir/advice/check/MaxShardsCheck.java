package dev.weir.advice.check;

import dev.weir.advice.finding.Check;
import dev.weir.advice.finding.Finding;
import dev.weir.advice.finding.Mend;
import dev.weir.advice.finding.Severity;
import dev.weir.advice.snapshot.ApiSource;
import dev.weir.advice.snapshot.ClusterSnapshot;
import dev.weir.advice.snapshot.IndexFacts;
import java.util.List;
import java.util.Set;

/** How near the cluster is to {@code cluster.max_shards_per_node}. */
public final class MaxShardsCheck implements Check {
  private static final String KEY = "cluster.max_shards_per_node";

  /** The share of the limit from which on the next rollovers may fail. */
  static final double MAX_SHARE = 0.9;

  private static final long DEFAULT = 1000;

  @Override
  public String name() {
    return "max-shards";
  }

  @Override
  public Set<ApiSource> needs() {
    return Set.of(ApiSource.CLUSTER_SETTINGS, ApiSource.NODES, ApiSource.INDICES);
  }

  @Override
  public List<Finding> run(ClusterSnapshot snapshot) {
    long perNode = Numbers.parse(snapshot.settings().get(KEY, ""), DEFAULT);
    int nodes = snapshot.dataNodes().size();
    long limit = perNode * nodes;
    long copies =
        snapshot.openIndices().stream()
            .map(IndexFacts::size)
            .mapToLong(size -> (long) size.shards() * (1 + size.replicas()))
            .sum();
    if (limit <= 0 || copies <= limit * MAX_SHARE) {
      return List.of();
    }
    long needed = (long) Math.ceil(copies / (nodes * MAX_SHARE)) + 1;
    long advised = Math.max(Math.min(2 * perNode, DEFAULT), needed);
    return List.of(
        new Finding(
            name(),
            Severity.PROBLEM,
            KEY,
            copies
                + " copies of shards of "
                + limit
                + " that "
                + nodes
                + " data nodes may have (expected: 90 % at most)",
            "At the limit no index can be created: rollovers and first writes fail.",
            Mend.of("Fewer, larger shards are the cure; this gives time.")
                .clusterSettings(
                    Bodies.persistent(snapshot.settings(), KEY, Long.toString(advised)))));
  }
}
