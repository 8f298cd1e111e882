package dev.weir.advice.check.traffic;

import dev.weir.advice.finding.Check;
import dev.weir.advice.finding.Finding;
import dev.weir.advice.finding.Severity;
import dev.weir.advice.snapshot.ApiSource;
import dev.weir.advice.snapshot.ClusterSnapshot;
import dev.weir.advice.snapshot.IndexFacts;
import dev.weir.advice.snapshot.ShardFacts;
import dev.weir.advice.snapshot.TrafficFacts;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Indices that most of the gateway's time goes to, on few of the nodes. */
public final class HotIndexCheck implements Check {
  /** The share of the time of all requests from which on the nodes of one index decide. */
  static final double MIN_SHARE = 0.5;

  /** Fewer requests say little. */
  static final long MIN_REQUESTS = 1000;

  @Override
  public String name() {
    return "hot-index";
  }

  @Override
  public Set<ApiSource> needs() {
    return Set.of(ApiSource.TRAFFIC, ApiSource.NODES, ApiSource.INDICES, ApiSource.SHARDS);
  }

  @Override
  public List<Finding> run(ClusterSnapshot snapshot) {
    TrafficFacts.Usage usage = snapshot.traffic().byIndex();
    if (usage.totalRequests() < MIN_REQUESTS || usage.namesInUse() < 2) {
      return List.of();
    }
    int wanted = HotCopies.wanted(snapshot.dataNodes().size());
    List<Finding> findings = new ArrayList<>();
    for (IndexFacts index : snapshot.openIndices()) {
      TrafficFacts.Count count = usage.top().get(index.name());
      long nodes =
          snapshot.shardsOfIndex(index.name()).stream()
              .filter(ShardFacts::assigned)
              .map(ShardFacts::node)
              .distinct()
              .count();
      if (count != null
          && count.tookMillis() > MIN_SHARE * usage.totalMillis()
          && nodes < wanted
          && index.size().replicas() + 1 < wanted) {
        findings.add(
            new Finding(
                name(),
                Severity.ADVICE,
                index.name(),
                Math.round(100.0 * count.tookMillis() / usage.totalMillis())
                    + " % of the time of all requests, "
                    + count.requests()
                    + " of "
                    + usage.totalRequests()
                    + " requests, on "
                    + nodes
                    + " of "
                    + snapshot.dataNodes().size()
                    + " data nodes",
                "The gateway spreads reads over the copies. The other nodes can't help without"
                    + " one.",
                HotCopies.mend(index, wanted - 1)));
      }
    }
    return findings;
  }
}
