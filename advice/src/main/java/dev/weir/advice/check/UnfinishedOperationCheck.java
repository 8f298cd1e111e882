package dev.weir.advice.check;

import dev.weir.advice.finding.Check;
import dev.weir.advice.finding.Finding;
import dev.weir.advice.finding.Mend;
import dev.weir.advice.finding.MendStep;
import dev.weir.advice.finding.Severity;
import dev.weir.advice.snapshot.ApiSource;
import dev.weir.advice.snapshot.ClusterSnapshot;
import java.util.List;
import java.util.Set;

/** A restart or a window that has begun and not ended: its journal is in the cluster's settings. */
public final class UnfinishedOperationCheck implements Check {
  private static final String JOURNAL = "cluster.metadata.weir.operation";

  @Override
  public String name() {
    return "unfinished-operation";
  }

  @Override
  public Set<ApiSource> needs() {
    return Set.of(ApiSource.CLUSTER_SETTINGS);
  }

  @Override
  public List<Finding> run(ClusterSnapshot snapshot) {
    if (!isUnderWay(snapshot)) {
      return List.of();
    }
    return List.of(
        new Finding(
            name(),
            Severity.PROBLEM,
            JOURNAL,
            "the journal of an operation that has not ended (expected: none)",
            "Until it ends, allocation may be off and nodes drained, and every other operation is"
                + " refused.",
            Mend.of(
                    "First see that its command does not run any more. Where the gateway's"
                        + " configuration is, --resume goes on, and --abort instead gives settings"
                        + " and weights back as they were.")
                .with(new MendStep.Command("weir rolling-restart --config weir.yaml --resume"))));
  }

  /**
   * Returns whether an operation is unfinished. What it has changed is then no finding: its end
   * gives it back.
   */
  static boolean isUnderWay(ClusterSnapshot snapshot) {
    return !snapshot.settings().persistent().getOrDefault(JOURNAL, "").isEmpty();
  }
}
