package dev.weir.advice.check;

import dev.weir.advice.finding.Check;
import dev.weir.advice.finding.Finding;
import dev.weir.advice.finding.Mend;
import dev.weir.advice.finding.Severity;
import dev.weir.advice.snapshot.ApiSource;
import dev.weir.advice.snapshot.ClusterSnapshot;
import dev.weir.advice.snapshot.NodeFacts;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Nodes in several zones, whose zones do not decide where copies go. */
public final class ZoneAwarenessCheck implements Check {
  private static final String KEY = "cluster.routing.allocation.awareness.attributes";

  /** What the names of attributes for zones contain. */
  private static final List<String> WORDS = List.of("zone", "rack", "datacenter", "data_center");

  @Override
  public String name() {
    return "zone-awareness";
  }

  @Override
  public Set<ApiSource> needs() {
    return Set.of(ApiSource.CLUSTER_SETTINGS, ApiSource.NODES);
  }

  @Override
  public List<Finding> run(ClusterSnapshot snapshot) {
    Map<String, Set<String>> zones = new TreeMap<>();
    for (NodeFacts node : snapshot.dataNodes()) {
      node.attributes()
          .forEach((name, value) -> {
            if (WORDS.stream().anyMatch(name.toLowerCase(Locale.ROOT)::contains)) {
              zones.computeIfAbsent(name, any -> new TreeSet<>()).add(value);
            }
          });
    }
    List<String> aware = new ArrayList<>();
    Arrays.stream(snapshot.settings().get(KEY, "").split(","))
        .map(String::strip)
        .filter(name -> !name.isEmpty())
        .forEach(aware::add);
    List<Finding> findings = new ArrayList<>();
    zones.forEach((name, values) -> {
      if (values.size() > 1 && !aware.contains(name) && isOnAll(snapshot, name)) {
        List<String> all = new ArrayList<>(aware);
        all.add(name);
        findings.add(
            new Finding(
                name(),
                Severity.ADVICE,
                "node.attr." + name,
                values.size()
                    + " values ("
                    + String.join(", ", values)
                    + "), and "
                    + KEY
                    + " does not name it",
                "All copies of a shard may be in one zone, and are lost with it.",
                Mend.of("Copies move to other zones at once.")
                    .clusterSettings(
                        Bodies.persistent(snapshot.settings(), KEY, String.join(",", all)))));
      }
    });
    return findings;
  }

  /** A node that lacks an awareness attribute gets no copies. */
  private static boolean isOnAll(ClusterSnapshot snapshot, String attribute) {
    return snapshot.dataNodes().stream().allMatch(node -> node.attributes().containsKey(attribute));
  }
}
