package dev.weir.admission.queue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The nodes that a request needs: for each of its needs one of several.
 *
 * @param needs all different
 */
public record NodeDemand(List<Need> needs) {
  /**
   * Calls that each need one of several nodes.
   *
   * @param nodes the candidates, in order of their names
   * @param calls how many
   */
  public record Need(List<String> nodes, int calls) {}

  /**
   * The demand of calls that can each go to any of several nodes; calls without a candidate count
   * as nothing.
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

  /** The candidates of each need: requests with the same candidates wait for the same. */
  List<List<String>> candidateNodes() {
    List<List<String>> layout = new ArrayList<>(needs.size());
    for (Need need : needs) {
      layout.add(need.nodes());
    }
    return layout;
  }

  /** All candidates. */
  Set<String> allNodes() {
    Set<String> nodes = new LinkedHashSet<>();
    for (Need need : needs) {
      nodes.addAll(need.nodes());
    }
    return nodes;
  }
}
