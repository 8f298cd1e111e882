package dev.weir.advice.check;

import dev.weir.advice.finding.Check;
import dev.weir.advice.finding.Finding;
import dev.weir.advice.finding.Mend;
import dev.weir.advice.finding.Severity;
import dev.weir.advice.snapshot.ApiSource;
import dev.weir.advice.snapshot.ClusterSnapshot;
import java.util.List;
import java.util.Set;

/** Nodes that still may not vote, after the manager was moved or a node was removed. */
public final class VotingExclusionsCheck implements Check {
  @Override
  public String name() {
    return "voting-exclusions";
  }

  @Override
  public Set<ApiSource> needs() {
    return Set.of(ApiSource.COORDINATION);
  }

  @Override
  public List<Finding> run(ClusterSnapshot snapshot) {
    List<String> excluded = snapshot.votingExclusions();
    if (excluded.isEmpty()) {
      return List.of();
    }
    return List.of(
        new Finding(
            name(),
            Severity.PROBLEM,
            "cluster",
            excluded.size()
                + " nodes may not vote: "
                + String.join(", ", excluded)
                + " (expected: none)",
            "An excluded node can't be elected, and the cluster bears the loss of fewer nodes."
                + " With ten exclusions it accepts no more.",
            Mend.of("First see that nobody is removing a node.")
                .call("DELETE", "/_cluster/voting_config_exclusions?wait_for_removal=false", "")));
  }
}
