package dev.weir.gateway;

import dev.weir.cluster.ClusterView;
import dev.weir.cluster.ClusterViewListener;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * The ids of the nodes that a cluster has, and of those that it had: what was made on them is still
 * asked for. Safe on any thread.
 */
final class KnownNodeIds implements ClusterViewListener {
  private static final int MAX_REMEMBERED = 10_000;

  private final Map<String, Boolean> departedIds = new LinkedHashMap<>();
  private volatile Set<String> currentIds = Set.of();

  @Override
  public synchronized void onChange(ClusterView before, ClusterView now) {
    now.nodes()
        .keySet()
        .forEach(id -> {
          departedIds.remove(id);
          departedIds.put(id, true);
        });
    while (departedIds.size() > MAX_REMEMBERED) {
      departedIds.remove(departedIds.keySet().iterator().next());
    }
    if (!currentIds.equals(departedIds.keySet())) {
      currentIds = Set.copyOf(departedIds.keySet());
    }
  }

  boolean contains(String id) {
    return currentIds.contains(id);
  }
}
