package dev.weir.advice.check;

import dev.weir.advice.finding.Check;
import dev.weir.advice.finding.Finding;
import dev.weir.advice.finding.Mend;
import dev.weir.advice.finding.Severity;
import dev.weir.advice.snapshot.ApiSource;
import dev.weir.advice.snapshot.ClusterSnapshot;
import dev.weir.client.settings.LayeredSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Allocation or rebalancing that an operation, such as a restart, has turned off and left off. */
public final class AllocationCheck implements Check {
  private static final String ALLOCATION = "cluster.routing.allocation.enable";
  private static final String REBALANCE = "cluster.routing.rebalance.enable";
  private static final String ALL = "all";

  @Override
  public String name() {
    return "allocation";
  }

  @Override
  public Set<ApiSource> needs() {
    return Set.of(ApiSource.CLUSTER_SETTINGS, ApiSource.SHARDS);
  }

  @Override
  public List<Finding> run(ClusterSnapshot snapshot) {
    if (UnfinishedOperationCheck.isUnderWay(snapshot)) {
      return List.of();
    }
    LayeredSettings settings = snapshot.settings();
    List<Finding> findings = new ArrayList<>();
    String allocation = settings.get(ALLOCATION, ALL);
    if (!allocation.equalsIgnoreCase(ALL)) {
      long unassigned = snapshot.shards().stream().filter(shard -> shard.node().isEmpty()).count();
      findings.add(
          new Finding(
              name(),
              Severity.PROBLEM,
              ALLOCATION,
              allocation + ", with " + unassigned + " copies unassigned (expected: all)",
              "A restart turns allocation off and on again. While it is off, a lost copy is not"
                  + " replaced, and a new index may get no shards.",
              mend(settings, ALLOCATION)));
    }
    String rebalance = settings.get(REBALANCE, ALL);
    if (!rebalance.equalsIgnoreCase(ALL)) {
      findings.add(
          new Finding(
              name(),
              Severity.ADVICE,
              REBALANCE,
              rebalance + " (expected: all)",
              "Shards stay where they are: a new node stays empty, and a full one stays full.",
              mend(settings, REBALANCE)));
    }
    return findings;
  }

  private static Mend mend(LayeredSettings settings, String key) {
    String defaultValue = settings.defaults().getOrDefault(key, ALL);
    return Mend.of("First see that no restart is under way.")
        .clusterSettings(
            settings.isSet(key) && defaultValue.equalsIgnoreCase(ALL)
                ? settings.removal(List.of(key))
                : Bodies.persistent(settings, key, ALL));
  }
}
