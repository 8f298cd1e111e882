package dev.weir.advice.check.traffic;

import dev.weir.advice.finding.Check;
import dev.weir.advice.finding.Finding;
import dev.weir.advice.finding.Mend;
import dev.weir.advice.finding.Severity;
import dev.weir.advice.snapshot.ApiSource;
import dev.weir.advice.snapshot.ClusterSnapshot;
import java.util.List;
import java.util.Set;

/** Nodes that the gateway avoids, because they answer late or not at all. */
public final class NodeHealthCheck implements Check {
  private static final Set<String> BAD = Set.of("lost", "ejected", "stalled", "unsteady", "slow");

  @Override
  public String name() {
    return "node-health";
  }

  @Override
  public Set<ApiSource> needs() {
    return Set.of(ApiSource.TRAFFIC);
  }

  @Override
  public List<Finding> run(ClusterSnapshot snapshot) {
    return snapshot.traffic().nodes().stream()
        .filter(node -> BAD.contains(node.health()))
        .map(node ->
            new Finding(
                name(),
                node.health().equals("lost") ? Severity.PROBLEM : Severity.ADVICE,
                node.name(),
                node.health()
                    + (node.reason().isEmpty() ? "" : ": " + node.reason())
                    + " (expected: healthy)",
                "The gateway sends the node fewer requests, so that the others carry them. Shards"
                    + " whose only copy is there are slow.",
                Mend.of("This shows what the node is busy with.")
                    .call("GET", "/_nodes/" + Mend.encode(node.name()) + "/hot_threads", "")))
        .toList();
  }
}
