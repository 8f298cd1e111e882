package dev.weir.operate;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Decides which nodes restart together, and in which order: the elected manager is in the last
 * batch, so that it moves once. Pure.
 */
final class RestartPlanner {
  private RestartPlanner() {}

  /** Each node by itself, in the order given, the manager last. */
  static List<List<String>> oneByOne(ClusterLayout layout, Collection<String> names) {
    List<List<String>> batches = new ArrayList<>();
    names.forEach(name -> batches.add(List.of(name)));
    return managerLast(batches, layout.members().manager());
  }

  /**
   * The nodes of a zone together, as far as every shard keeps a started copy elsewhere, writes have
   * the copies that they wait for, and a manager can be elected. The manager's zone is the last
   * one, and its batch the last one of its zone.
   *
   * @param attribute of nodes, such as {@code zone}; nodes without it go one by one
   * @param maxUnavailable nodes that may be away at once, 1 or more
   */
  static List<List<String>> byZone(
      ClusterLayout layout, Collection<String> names, String attribute, int maxUnavailable) {
    Map<String, List<String>> zones = new TreeMap<>();
    List<List<List<String>>> groups = new ArrayList<>();
    for (String name : names) {
      String zone = layout.node(name).attributes().getOrDefault(attribute, "");
      if (zone.isEmpty()) {
        groups.add(List.of(List.of(name)));
      } else {
        zones.computeIfAbsent(zone, any -> new ArrayList<>()).add(name);
      }
    }
    String manager = layout.members().manager();
    zones
        .values()
        .forEach(zone -> groups.add(managerLast(split(layout, zone, maxUnavailable), manager)));
    groups.sort(Comparator.comparing(group -> holds(group, manager)));
    return groups.stream().flatMap(List::stream).toList();
  }

  private static boolean holds(List<List<String>> batches, String name) {
    return batches.stream().anyMatch(batch -> batch.contains(name));
  }

  private static List<List<String>> split(
      ClusterLayout layout, List<String> zone, int maxUnavailable) {
    List<List<String>> batches = new ArrayList<>();
    for (String name : zone) {
      @Nullable List<String> fitting = null;
      for (List<String> batch : batches) {
        Set<String> together = new HashSet<>(batch);
        together.add(name);
        if (together.size() <= maxUnavailable
            && layout.lostWithout(together).isEmpty()
            && layout.writesBlockedWithout(together).isEmpty()
            && layout.members().keepsQuorumWithout(together)) {
          fitting = batch;
          break;
        }
      }
      if (fitting == null) {
        batches.add(new ArrayList<>(List.of(name)));
      } else {
        fitting.add(name);
      }
    }
    return batches;
  }

  private static List<List<String>> managerLast(List<List<String>> batches, String manager) {
    List<List<String>> ordered = new ArrayList<>(batches);
    ordered.sort(Comparator.comparing(batch -> batch.contains(manager)));
    return ordered;
  }
}
