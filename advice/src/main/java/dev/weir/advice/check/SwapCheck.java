package dev.weir.advice.check;

import dev.weir.advice.finding.Check;
import dev.weir.advice.finding.Finding;
import dev.weir.advice.finding.Mend;
import dev.weir.advice.finding.MendStep;
import dev.weir.advice.finding.Severity;
import dev.weir.advice.snapshot.ApiSource;
import dev.weir.advice.snapshot.ClusterSnapshot;
import dev.weir.advice.snapshot.NodeFacts;
import dev.weir.model.DisplayFormat;
import java.util.List;
import java.util.Set;

/** Heaps that the machine may swap out. */
public final class SwapCheck implements Check {
  @Override
  public String name() {
    return "swap";
  }

  @Override
  public Set<ApiSource> needs() {
    return Set.of(ApiSource.NODES, ApiSource.NODE_STATS);
  }

  @Override
  public List<Finding> run(ClusterSnapshot snapshot) {
    List<NodeFacts> nodes =
        snapshot.nodes().stream()
            .filter(node -> !node.memory().locked() && node.memory().swapBytes() > 0)
            .toList();
    if (nodes.isEmpty()) {
      return List.of();
    }
    long swap = nodes.stream().mapToLong(node -> node.memory().swapBytes()).max().orElse(0);
    return List.of(
        new Finding(
            name(),
            Severity.ADVICE,
            String.join(", ", nodes.stream().map(NodeFacts::name).toList()),
            "up to "
                + DisplayFormat.formatBytes(swap)
                + " of swap space, and heaps that are not locked (expected: none, or locked)",
            "A garbage collection touches the whole heap. Where parts of it are swapped out, it"
                + " stops the node for seconds to minutes.",
            Mend.of("Turn swapping off (swapoff -a), or set this and LimitMEMLOCK=infinity.")
                .with(new MendStep.NodeSetting("bootstrap.memory_lock: true"))));
  }
}
