package dev.weir.advice.check;

import dev.weir.advice.finding.Check;
import dev.weir.advice.finding.Finding;
import dev.weir.advice.finding.Mend;
import dev.weir.advice.finding.Severity;
import dev.weir.advice.snapshot.ApiSource;
import dev.weir.advice.snapshot.ClusterSnapshot;
import dev.weir.advice.snapshot.NodeFacts;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Nodes that an operator has drained, or given a small weight, and not restored. */
public final class DrainedNodesCheck implements Check {
  private static final String PREFIX = "cluster.metadata.weir.node-weight.";

  @Override
  public String name() {
    return "drained-nodes";
  }

  @Override
  public Set<ApiSource> needs() {
    return Set.of(ApiSource.CLUSTER_SETTINGS, ApiSource.NODES);
  }

  @Override
  public List<Finding> run(ClusterSnapshot snapshot) {
    if (UnfinishedOperationCheck.isUnderWay(snapshot)) {
      return List.of();
    }
    List<Finding> findings = new ArrayList<>();
    snapshot
        .settings()
        .setWithPrefix(PREFIX)
        .forEach((key, weight) -> {
          if (weight.startsWith("1")) {
            return; // full, or rising to it
          }
          String node = key.substring(PREFIX.length());
          boolean isPresent = snapshot.nodes().stream().map(NodeFacts::name).anyMatch(node::equals);
          findings.add(
              new Finding(
                  name(),
                  Severity.ADVICE,
                  node,
                  "weight "
                      + weight
                      + (isPresent ? "" : " of a node that is not in the cluster")
                      + " (expected: no weight, unless the node is in maintenance)",
                  "All gateways send the node less than its share, or nothing; the other nodes"
                      + " carry it.",
                  Mend.of("First see that the node is not in maintenance.")
                      .clusterSettings(snapshot.settings().removal(List.of(key)))));
        });
    return findings;
  }
}
