package dev.weir.advice.check;

import dev.weir.advice.finding.Check;
import dev.weir.advice.finding.Finding;
import dev.weir.advice.finding.Mend;
import dev.weir.advice.finding.MendStep;
import dev.weir.advice.finding.Severity;
import dev.weir.advice.snapshot.ApiSource;
import dev.weir.advice.snapshot.ClusterSnapshot;
import dev.weir.advice.snapshot.NodeFacts;
import java.util.List;
import java.util.Set;

/** How many nodes may be elected cluster manager. */
public final class ManagerNodesCheck implements Check {
  /** The least number of which a majority remains when one is lost. */
  static final int MIN = 3;

  @Override
  public String name() {
    return "manager-nodes";
  }

  @Override
  public Set<ApiSource> needs() {
    return Set.of(ApiSource.NODES);
  }

  @Override
  public List<Finding> run(ClusterSnapshot snapshot) {
    long eligible = snapshot.nodes().stream().filter(NodeFacts::isManagerEligible).count();
    if (snapshot.nodes().size() < 2 || (eligible >= MIN && eligible % 2 == 1)) {
      return List.of();
    }
    boolean isTooFew = eligible < MIN;
    return List.of(
        new Finding(
            name(),
            isTooFew ? Severity.PROBLEM : Severity.HINT,
            "cluster",
            eligible
                + " of "
                + snapshot.nodes().size()
                + " nodes may be cluster manager (expected: an odd number, "
                + MIN
                + " at least)",
            isTooFew
                ? "The loss of one of them can leave no majority: the cluster then accepts no"
                    + " writes, and no changes."
                : "A majority of an even number bears the loss of no more nodes than one node"
                    + " less does.",
            Mend.of(
                    isTooFew
                        ? "Make a further node eligible, and restart it."
                        : "Take the role from one node, or give it to one more, and restart it.")
                .with(
                    new MendStep.NodeSetting(
                        isTooFew
                            ? "node.roles: [cluster_manager, data, ingest]"
                            : "node.roles: [data, ingest]"))));
  }
}
