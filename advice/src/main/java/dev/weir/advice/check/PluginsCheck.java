package dev.weir.advice.check;

import dev.weir.advice.finding.Check;
import dev.weir.advice.finding.Finding;
import dev.weir.advice.finding.Mend;
import dev.weir.advice.finding.MendStep;
import dev.weir.advice.finding.Severity;
import dev.weir.advice.snapshot.ApiSource;
import dev.weir.advice.snapshot.ClusterSnapshot;
import dev.weir.advice.snapshot.NodeFacts;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Plugins, such as Weir's, that only some nodes have. */
public final class PluginsCheck implements Check {
  @Override
  public String name() {
    return "plugins";
  }

  @Override
  public Set<ApiSource> needs() {
    return Set.of(ApiSource.NODES);
  }

  @Override
  public List<Finding> run(ClusterSnapshot snapshot) {
    Set<String> plugins = new TreeSet<>();
    snapshot.nodes().forEach(node -> plugins.addAll(node.plugins()));
    List<Finding> findings = new ArrayList<>();
    for (String plugin : plugins) {
      List<String> without =
          snapshot.nodes().stream()
              .filter(node -> !node.plugins().contains(plugin))
              .map(NodeFacts::name)
              .toList();
      if (!without.isEmpty()) {
        boolean isOurs = WeirPlugins.isWeir(plugin);
        findings.add(
            new Finding(
                name(),
                Severity.ADVICE,
                plugin,
                without.size()
                    + " of "
                    + snapshot.nodes().size()
                    + " nodes lack it: "
                    + String.join(", ", without)
                    + " (expected: none)",
                isOurs
                    ? "Nodes without it send hits, terms and cluster states the long way, and"
                        + " can't hold indices with weir_zstd."
                    : "Shards that need the plugin can't be on nodes without it, and a manager"
                        + " without it rejects its settings.",
                Mend.of("On each of these nodes, then restart it.")
                    .with(
                        new MendStep.Command(
                            isOurs
                                ? "bin/opensearch-plugin install file:///path/to/weir-data-node.zip"
                                : "bin/opensearch-plugin install " + plugin))));
      }
    }
    return findings;
  }
}
