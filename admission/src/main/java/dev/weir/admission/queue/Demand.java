package dev.weir.admission.queue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Which nodes a request needs: of each of its needs one of the nodes that will do. Requests with
 * equal demands wait for the same.
 *
 * @param needs all different
 */
public record Demand(List<Need> needs) {
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
  public static Demand of(List<List<String>> calls) {
    Map<List<String>, Integer> counts = new LinkedHashMap<>();
    for (List<String> nodes : calls) {
      if (!nodes.isEmpty()) {
        counts.merge(nodes.stream().sorted().distinct().toList(), 1, Integer::sum);
      }
    }
    List<Need> needs = new ArrayList<>(counts.size());
    counts.forEach((nodes, count) -> needs.add(new Need(nodes, count)));
    needs.sort(Comparator.comparing(need -> String.join("\0", need.nodes())));
    return new Demand(List.copyOf(needs));
  }

  /** Whether a node is among those that will do for something. */
  boolean uses(String nodeId) {
    for (Need need : needs) {
      if (need.nodes().contains(nodeId)) {
        return true;
      }
    }
    return false;
  }
}
