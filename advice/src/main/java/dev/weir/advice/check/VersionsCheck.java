package dev.weir.advice.check;

import dev.weir.advice.finding.Check;
import dev.weir.advice.finding.Finding;
import dev.weir.advice.finding.Mend;
import dev.weir.advice.finding.MendStep;
import dev.weir.advice.finding.Severity;
import dev.weir.advice.snapshot.ApiSource;
import dev.weir.advice.snapshot.ClusterSnapshot;
import dev.weir.advice.snapshot.NodeFacts;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Nodes of several versions. */
public final class VersionsCheck implements Check {
  private static final Pattern NUMBER = Pattern.compile("\\d+");

  @Override
  public String name() {
    return "versions";
  }

  @Override
  public Set<ApiSource> needs() {
    return Set.of(ApiSource.NODES);
  }

  @Override
  public List<Finding> run(ClusterSnapshot snapshot) {
    Map<String, List<String>> byVersion =
        snapshot.nodes().stream()
            .collect(
                Collectors.groupingBy(
                    NodeFacts::version,
                    () -> new TreeMap<>(Comparator.comparing(VersionsCheck::sortKey)),
                    Collectors.mapping(NodeFacts::name, Collectors.toList())));
    if (byVersion.size() < 2) {
      return List.of();
    }
    return List.of(
        new Finding(
            name(),
            Severity.ADVICE,
            "cluster",
            byVersion.entrySet().stream()
                    .map(one -> one.getValue().size() + " nodes of " + one.getKey())
                    .collect(Collectors.joining(", "))
                + " (expected: one version)",
            "A primary on a newer node can't have its replica on an older one, so copies stay"
                + " unassigned, and the newer version's features stay off.",
            Mend.of("Upgrade the older nodes, one after the other.")
                .with(
                    new MendStep.Command(
                        "# upgrade "
                            + byVersion.entrySet().stream()
                                .limit(byVersion.size() - 1)
                                .flatMap(one -> one.getValue().stream())
                                .collect(Collectors.joining(", "))))));
  }

  /** A text whose order is that of versions: 3.9.0, 3.10.0-rc1, 3.10.0. */
  private static String sortKey(String version) {
    return NUMBER
            .matcher(version)
            .replaceAll(part -> "%9s".formatted(part.group()).replace(' ', '0'))
        + "~";
  }
}
