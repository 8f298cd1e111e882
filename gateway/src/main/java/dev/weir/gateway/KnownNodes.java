package dev.weir.gateway;

import dev.weir.cluster.ClusterView;
import dev.weir.cluster.ViewListener;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * The ids of the nodes that a cluster has, and of those that it had: what was made on them is still
 * asked for. Safe on any thread.
 */
final class KnownNodes implements ViewListener {
  private static final int MOST = 10_000;

  private final Map<String, Boolean> remembered = new LinkedHashMap<>();
  private volatile Set<String> ids = Set.of();

  @Override
  public synchronized void changed(ClusterView before, ClusterView now) {
    now.nodes()
        .keySet()
        .forEach(id -> {
          remembered.remove(id);
          remembered.put(id, true);
        });
    while (remembered.size() > MOST) {
      remembered.remove(remembered.keySet().iterator().next());
    }
    if (!ids.equals(remembered.keySet())) {
      ids = Set.copyOf(remembered.keySet());
    }
  }

  boolean contains(String id) {
    return ids.contains(id);
  }
}
