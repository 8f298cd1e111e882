package dev.weir.advice.check.indices;

import dev.weir.advice.finding.Check;
import dev.weir.advice.finding.Finding;
import dev.weir.advice.finding.Mend;
import dev.weir.advice.finding.Severity;
import dev.weir.advice.snapshot.ApiSource;
import dev.weir.advice.snapshot.ClusterSnapshot;
import dev.weir.model.DisplayFormat;
import java.util.List;
import java.util.Set;

/** Indices of which each shard has one copy only. */
public final class NoReplicasCheck implements Check {
  private static final String AUTO_EXPAND = "index.auto_expand_replicas";

  @Override
  public String name() {
    return "no-replicas";
  }

  @Override
  public Set<ApiSource> needs() {
    return Set.of(ApiSource.NODES, ApiSource.INDICES, ApiSource.INDEX_SETTINGS);
  }

  @Override
  public List<Finding> run(ClusterSnapshot snapshot) {
    if (snapshot.dataNodes().size() < 2) {
      return List.of();
    }
    return snapshot.openIndices().stream()
        .filter(index -> index.size().replicas() == 0)
        .filter(index -> index.setting(AUTO_EXPAND, "false").equals("false"))
        .filter(index -> !index.setting("index.store.type", "").equals("remote_snapshot"))
        .map(index ->
            new Finding(
                name(),
                Severity.PROBLEM,
                index.name(),
                "0 replicas of "
                    + index.size().shards()
                    + " shards with "
                    + index.size().documents()
                    + " documents (expected: 1 at least)",
                "The loss of a node loses its shards of this index, and its restart stops their"
                    + " searches and writes.",
                Mend.of(
                        "The copies need "
                            + DisplayFormat.formatBytes(index.size().bytes())
                            + " of disk.")
                    .indexSettings(index.name(), "{\"index.number_of_replicas\": 1}")))
        .toList();
  }
}
