package dev.weir.advice.check.indices;

import dev.weir.advice.finding.Check;
import dev.weir.advice.finding.Finding;
import dev.weir.advice.finding.Mend;
import dev.weir.advice.finding.Severity;
import dev.weir.advice.snapshot.ApiSource;
import dev.weir.advice.snapshot.ClusterSnapshot;
import java.util.List;
import java.util.Set;

/** Closed indices, which still take disk, replicas and place in the cluster state. */
public final class ClosedIndicesCheck implements Check {

  @Override
  public String name() {
    return "closed-indices";
  }

  @Override
  public Set<ApiSource> needs() {
    return Set.of(ApiSource.INDICES);
  }

  @Override
  public List<Finding> run(ClusterSnapshot snapshot) {
    return snapshot.indices().stream()
        .filter(index -> !index.open())
        .map(index ->
            new Finding(
                name(),
                Severity.HINT,
                index.name(),
                index.size().shards() * (1 + index.size().replicas())
                    + " copies of shards of a closed index (expected: none)",
                "A closed index serves nothing. Its copies still take disk, are moved and"
                    + " recovered, and its metadata is in every cluster state.",
                Mend.of(
                        "Or take a snapshot, and delete it. After it is opened, an index that is"
                            + " not searched costs little more.")
                    .call("POST", "/" + Mend.encode(index.name()) + "/_open", "")))
        .toList();
  }
}
