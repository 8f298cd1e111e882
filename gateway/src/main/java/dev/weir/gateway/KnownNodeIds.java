package dev.weir.gateway;

import dev.weir.cluster.ClusterView;
import dev.weir.cluster.ClusterViewListener;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Remembers the ids of a cluster's current and former nodes: requests still name scrolls and points
 * in time of former nodes. Safe on any thread.
 */
final class KnownNodeIds implements ClusterViewListener {
  private static final int MAX_REMEMBERED = 10_000;

  private final Map<String, Boolean> rememberedIds = new LinkedHashMap<>();
  private volatile Set<String> snapshot = Set.of();

  @Override
  public synchronized void onChange(ClusterView before, ClusterView now) {
    now.nodes()
        .keySet()
        .forEach(id -> {
          rememberedIds.remove(id);
          rememberedIds.put(id, true);
        });
    while (rememberedIds.size() > MAX_REMEMBERED) {
      rememberedIds.remove(rememberedIds.keySet().iterator().next());
    }
    if (!snapshot.equals(rememberedIds.keySet())) {
      snapshot = Set.copyOf(rememberedIds.keySet());
    }
  }

  boolean contains(String id) {
    return snapshot.contains(id);
  }
}
