package dev.weir.advice.check;

import dev.weir.advice.finding.Check;
import dev.weir.advice.finding.Finding;
import dev.weir.advice.finding.Mend;
import dev.weir.advice.finding.Severity;
import dev.weir.advice.snapshot.ApiSource;
import dev.weir.advice.snapshot.ClusterSnapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** How many shards a node copies at a time. */
public final class ConcurrentRecoveriesCheck implements Check {
  private static final String PREFIX = "cluster.routing.allocation.node_";
  private static final List<String> KEYS =
      List.of(
          PREFIX + "concurrent_recoveries",
          PREFIX + "concurrent_incoming_recoveries",
          PREFIX + "concurrent_outgoing_recoveries");

  /** OpenSearch's default. With one, a node waits for each small shard's round trips. */
  static final long MIN = 2;

  /**
   * All recoveries of a node share its rate limit, so more at a time are no faster, and each holds
   * a thread and buffers on both nodes.
   */
  static final long MAX = 20;

  @Override
  public String name() {
    return "concurrent-recoveries";
  }

  @Override
  public Set<ApiSource> needs() {
    return Set.of(ApiSource.CLUSTER_SETTINGS);
  }

  @Override
  public List<Finding> run(ClusterSnapshot snapshot) {
    List<Finding> findings = new ArrayList<>();
    for (String key : KEYS) {
      long count = Numbers.parse(snapshot.settings().get(key, ""), MIN);
      if (count < MIN || count > MAX) {
        findings.add(
            new Finding(
                name(),
                Severity.ADVICE,
                key,
                count + " (expected: " + MIN + " to " + MAX + ")",
                count < MIN
                    ? "A restarted node gets its shards back one by one."
                    : "Recoveries share the node's rate limit: so many hold threads and memory,"
                        + " and are no faster.",
                Mend.of("")
                    .clusterSettings(
                        snapshot.settings().isSet(key)
                            ? snapshot.settings().removal(List.of(key))
                            : Bodies.persistent(snapshot.settings(), key, Long.toString(MIN)))));
      }
    }
    return findings;
  }
}
