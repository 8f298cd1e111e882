package dev.weir.advice.check;

import dev.weir.advice.finding.Check;
import dev.weir.advice.finding.Finding;
import dev.weir.advice.finding.Mend;
import dev.weir.advice.finding.Severity;
import dev.weir.advice.snapshot.ApiSource;
import dev.weir.advice.snapshot.ClusterSnapshot;
import dev.weir.advice.snapshot.NamePattern;
import dev.weir.advice.snapshot.NodeFacts;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Filters that keep shards off nodes, left over after the nodes were emptied. */
public final class NodeFilterCheck implements Check {
  private static final String ALLOCATION = "cluster.routing.allocation.";

  @Override
  public String name() {
    return "node-filter";
  }

  @Override
  public Set<ApiSource> needs() {
    return Set.of(ApiSource.CLUSTER_SETTINGS, ApiSource.NODES, ApiSource.SHARDS);
  }

  @Override
  public List<Finding> run(ClusterSnapshot snapshot) {
    Map<String, String> filters = new TreeMap<>();
    for (String kind : List.of("exclude.", "include.", "require.")) {
      filters.putAll(snapshot.settings().setWithPrefix(ALLOCATION + kind));
    }
    return filters.entrySet().stream()
        .map(filter -> describe(snapshot, filter.getKey(), filter.getValue()))
        .toList();
  }

  private Finding describe(ClusterSnapshot snapshot, String key, String value) {
    String figure = value;
    if (key.endsWith("._name")) {
      List<NamePattern> patterns =
          Arrays.stream(value.split(",")).map(String::strip).map(NamePattern::of).toList();
      List<String> present =
          snapshot.nodes().stream()
              .map(NodeFacts::name)
              .filter(node -> patterns.stream().anyMatch(one -> one.matches(node)))
              .toList();
      long copies = present.stream().mapToLong(node -> snapshot.shardsOf(node).size()).sum();
      figure +=
          present.isEmpty()
              ? ", which names no node of the cluster"
              : ", which now has " + copies + " copies of shards";
    }
    return new Finding(
        name(),
        Severity.ADVICE,
        key,
        figure + " (expected: no filter, unless a node is being emptied)",
        "The filter stays until it is removed. A node that it keeps out takes no shards, so the"
            + " others carry them.",
        Mend.of("First see that nobody is emptying a node.")
            .clusterSettings(snapshot.settings().removal(List.of(key))));
  }
}
