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
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The size of the heaps, beside the pointers of the JVM and the memory of the machine. */
public final class HeapCheck implements Check {
  /** Up to about here the JVM addresses objects with four bytes. */
  static final long MAX_HEAP_BYTES = 31L << 30;

  /**
   * The largest share of a machine's memory for heaps. Terms and their indexes lie in the page
   * cache, not on the heap, so the other half speeds up searches. Only nodes with data search.
   */
  static final double MAX_SHARE = 0.5;

  /** A heap of half the memory may be a little over it, because the kernel takes its part first. */
  private static final double TOLERANCE = 1.05;

  @Override
  public String name() {
    return "heap";
  }

  @Override
  public Set<ApiSource> needs() {
    return Set.of(ApiSource.NODES, ApiSource.NODE_STATS);
  }

  @Override
  public List<Finding> run(ClusterSnapshot snapshot) {
    List<Finding> findings = new ArrayList<>();
    Map<String, List<NodeFacts>> byHost = new LinkedHashMap<>();
    for (NodeFacts node : snapshot.nodes()) {
      byHost.computeIfAbsent(node.host(), host -> new ArrayList<>()).add(node);
      NodeFacts.Memory memory = node.memory();
      if (memory.heapBytes() > MAX_HEAP_BYTES && !memory.compressedPointers()) {
        findings.add(
            new Finding(
                name(),
                Severity.ADVICE,
                node.name(),
                DisplayFormat.formatBytes(memory.heapBytes())
                    + " of heap with pointers of eight bytes (expected: 31gb at most)",
                "From about 32 GB on, each pointer takes eight bytes: up to 48 GB such a heap"
                    + " holds no more than 31 GB do.",
                mend("31g")));
      }
    }
    byHost.values().stream()
        .filter(nodes -> nodes.stream().anyMatch(NodeFacts::isData))
        .forEach(nodes -> checkHost(nodes, findings));
    return findings;
  }

  private void checkHost(List<NodeFacts> nodes, List<Finding> findings) {
    NodeFacts.Memory first = nodes.getFirst().memory();
    long heaps = nodes.stream().mapToLong(node -> node.memory().heapBytes()).sum();
    if (first.machineBytes() > 0 && heaps > first.machineBytes() * MAX_SHARE * TOLERANCE) {
      long advised = (long) (first.machineBytes() * MAX_SHARE / nodes.size());
      findings.add(
          new Finding(
              name(),
              Severity.ADVICE,
              String.join(", ", nodes.stream().map(NodeFacts::name).toList()),
              DisplayFormat.formatBytes(heaps)
                  + " of heap in a machine with "
                  + DisplayFormat.formatBytes(first.machineBytes())
                  + " (expected: half of it at most)",
              "Lucene reads its files through the page cache, which gets what the heaps leave.",
              mend((Math.min(advised, MAX_HEAP_BYTES) >> 20) + "m")));
    }
  }

  private static Mend mend(String size) {
    return Mend.of("In config/jvm.options of the node, then restart it.")
        .with(new MendStep.NodeSetting("-Xms" + size))
        .with(new MendStep.NodeSetting("-Xmx" + size));
  }
}
