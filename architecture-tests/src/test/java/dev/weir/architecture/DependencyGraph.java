package dev.weir.architecture;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A directed graph of names. Finds the cycles: the strongly connected components with more than one
 * name, by Tarjan's algorithm, without recursion.
 */
final class DependencyGraph {
  private final Map<String, Set<String>> targets = new TreeMap<>();

  void add(String from, String to) {
    if (!from.equals(to)) {
      targets.computeIfAbsent(from, name -> new TreeSet<>()).add(to);
      targets.computeIfAbsent(to, name -> new TreeSet<>());
    }
  }

  Set<String> targetsOf(String name) {
    return targets.getOrDefault(name, Set.of());
  }

  /** Groups of names that reach one another, largest first. */
  List<Set<String>> cycles() {
    List<Set<String>> found = new ArrayList<>();
    Map<String, Integer> order = new HashMap<>();
    Map<String, Integer> lowest = new HashMap<>();
    Deque<String> open = new ArrayDeque<>();
    for (String root : targets.keySet()) {
      if (!order.containsKey(root)) {
        search(root, order, lowest, open, found);
      }
    }
    found.sort((a, b) -> b.size() - a.size());
    return found;
  }

  private record Visit(String name, Deque<String> remaining) {}

  private void search(
      String root,
      Map<String, Integer> order,
      Map<String, Integer> lowest,
      Deque<String> open,
      List<Set<String>> found) {
    Deque<Visit> path = new ArrayDeque<>();
    path.push(visit(root, order, lowest, open));
    while (!path.isEmpty()) {
      Visit visit = path.peek();
      String next = visit.remaining().poll();
      if (next == null) {
        path.pop();
        if (!path.isEmpty()) {
          lowest.merge(path.peek().name(), valueOf(lowest, visit.name()), Math::min);
        }
        close(visit.name(), order, lowest, open, found);
      } else if (!order.containsKey(next)) {
        path.push(visit(next, order, lowest, open));
      } else if (open.contains(next)) {
        lowest.merge(visit.name(), valueOf(order, next), Math::min);
      }
    }
  }

  private Visit visit(
      String name, Map<String, Integer> order, Map<String, Integer> lowest, Deque<String> open) {
    order.put(name, order.size());
    lowest.put(name, order.size() - 1);
    open.push(name);
    return new Visit(name, new ArrayDeque<>(targetsOf(name)));
  }

  private static void close(
      String name,
      Map<String, Integer> order,
      Map<String, Integer> lowest,
      Deque<String> open,
      Collection<Set<String>> found) {
    if (valueOf(lowest, name) == valueOf(order, name)) {
      Set<String> group = new TreeSet<>();
      String member;
      do {
        member = open.pop();
        group.add(member);
      } while (!member.equals(name));
      if (group.size() > 1) {
        found.add(group);
      }
    }
  }

  private static int valueOf(Map<String, Integer> values, String name) {
    Integer value = values.get(name);
    if (value == null) {
      throw new IllegalStateException("got " + name + " (expected: a visited name)");
    }
    return value;
  }
}
