package dev.weir.advice.check.indices;

import dev.weir.advice.finding.Check;
import dev.weir.advice.finding.Finding;
import dev.weir.advice.finding.Mend;
import dev.weir.advice.finding.Severity;
import dev.weir.advice.snapshot.ApiSource;
import dev.weir.advice.snapshot.ClusterSnapshot;
import dev.weir.advice.snapshot.IndexFacts;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Blocks that a full disk has set, or that somebody has left. */
public final class WriteBlocksCheck implements Check {
  private static final String FLOOD = "index.blocks.read_only_allow_delete";
  private static final String CREATE_INDEX = "cluster.blocks.create_index";
  private static final List<String> CLUSTER_KEYS =
      List.of("cluster.blocks.read_only", "cluster.blocks.read_only_allow_delete", CREATE_INDEX);

  @Override
  public String name() {
    return "write-blocks";
  }

  @Override
  public Set<ApiSource> needs() {
    return Set.of(ApiSource.CLUSTER_SETTINGS, ApiSource.INDICES, ApiSource.INDEX_SETTINGS);
  }

  @Override
  public List<Finding> run(ClusterSnapshot snapshot) {
    List<Finding> findings = new ArrayList<>();
    for (String key : CLUSTER_KEYS) {
      if (snapshot.settings().isSet(key) && snapshot.settings().get(key, "").equals("true")) {
        findings.add(
            new Finding(
                name(),
                Severity.PROBLEM,
                key,
                "true (expected: false)",
                key.equals(CREATE_INDEX)
                    ? "No index can be created, and no rollover succeeds."
                    : "The cluster rejects every write.",
                Mend.of("").clusterSettings(snapshot.settings().removal(List.of(key)))));
      }
    }
    for (IndexFacts index : snapshot.openIndices()) {
      if (index.setting(FLOOD, "").equals("true")) {
        findings.add(
            new Finding(
                name(),
                Severity.PROBLEM,
                index.name(),
                FLOOD + " is true (expected: no such block)",
                "The index rejects writes. OpenSearch sets the block at the flood stage of a disk,"
                    + " and lifts it only if its disk watermarks are on.",
                Mend.of("First make room on the disk; the check disk names the node.")
                    .indexSettings(index.name(), "{\"" + FLOOD + "\": null}")));
      }
    }
    return findings;
  }
}
