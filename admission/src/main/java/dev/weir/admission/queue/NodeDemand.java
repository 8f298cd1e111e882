package dev.weir.admission.queue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which nodes a request needs: of each of its needs one of the nodes that will do.
 *
 * @param needs all different
 */
public record NodeDemand(List<Need> needs) {
  /**
   * Calls that go to one of some nodes each.
   *
   * @param nodes that will do, in order of their names
   * @param calls how many
   */
  public record Need(List<String> nodes, int calls) {}

  /**
   * What is needed by calls, of which each can go to any of some nodes; those without any count as
   * nothing.
   */
  public static NodeDemand of(List<List<String>> calls) {
    Map<List<String>, Integer> counts = new LinkedHashMap<>();
    for (List<String> nodes : calls) {
      if (!nodes.isEmpty()) {
        counts.merge(nodes.stream().sorted().distinct().toList(), 1, Integer::sum);
      }
    }
    List<Need> needs = new ArrayList<>(counts.size());
    counts.forEach((nodes, count) -> needs.add(new Need(nodes, count)));
    needs.sort(Comparator.comparing(need -> String.join("\0", need.nodes())));
    return new NodeDemand(List.copyOf(needs));
  }

  /** Of each need the nodes that will do: who needs the same waits for the same. */
  List<List<String>> candidateNodes() {
    List<List<String>> layout = new ArrayList<>(needs.size());
    for (Need need : needs) {
      layout.add(need.nodes());
    }
    return layout;
  }

  /** All nodes that will do for something. */
  Set<String> allNodes() {
    Set<String> nodes = new LinkedHashSet<>();
    for (Need need : needs) {
      nodes.addAll(need.nodes());
    }
    return nodes;
  }
}
