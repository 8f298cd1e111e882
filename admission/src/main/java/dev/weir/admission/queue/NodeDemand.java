package dev.weir.admission.queue;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The nodes that a request needs.
 *
 * @param needs all different
 */
public record NodeDemand(List<Need> needs) {
  /**
   * Calls that can each go to any of several nodes.
   *
   * @param nodes the candidates, sorted by id
   * @param calls the number of calls
   * @param atOnce how many of them are in flight to one node at a time
   */
  public record Need(List<String> nodes, int calls, int atOnce) {}

  /**
   * Returns the demand of calls, given the candidates of each; calls without a candidate are
   * ignored.
   */
  public static NodeDemand of(List<List<String>> calls) {
    return of(calls, Integer.MAX_VALUE);
  }

  /**
   * Returns the demand of calls, of which a number is in flight to one node at a time.
   *
   * @param maxConcurrentPerNode the number, at least 1
   */
  public static NodeDemand of(List<List<String>> calls, int maxConcurrentPerNode) {
    Map<List<String>, Integer> counts = new LinkedHashMap<>();
    for (List<String> nodes : calls) {
      if (!nodes.isEmpty()) {
        counts.merge(sortedDistinct(nodes), 1, Integer::sum);
      }
    }
    List<Need> needs = new ArrayList<>(counts.size());
    counts.forEach(
        (nodes, count) -> needs.add(new Need(nodes, count, Math.min(count, maxConcurrentPerNode))));
    needs.sort((a, b) -> compare(a.nodes(), b.nodes()));
    return new NodeDemand(needs);
  }

  /** Returns the candidates in order, each once. */
  private static List<String> sortedDistinct(List<String> nodes) {
    return nodes.size() == 1 ? nodes : List.copyOf(new TreeSet<>(nodes));
  }

  private static int compare(List<String> a, List<String> b) {
    for (int i = 0; i < Math.min(a.size(), b.size()); i++) {
      int order = a.get(i).compareTo(b.get(i));
      if (order != 0) {
        return order;
      }
    }
    return Integer.compare(a.size(), b.size());
  }

  /**
   * Returns the candidates of each need: requests with the same candidates wait in the same queue.
   */
  List<List<String>> candidateNodes() {
    List<List<String>> layout = new ArrayList<>(needs.size());
    for (Need need : needs) {
      layout.add(need.nodes());
    }
    return layout;
  }

  /** Returns the candidates of all needs. */
  Set<String> allNodes() {
    Set<String> nodes = new LinkedHashSet<>();
    for (Need need : needs) {
      nodes.addAll(need.nodes());
    }
    return nodes;
  }
}
