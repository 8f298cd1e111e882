package dev.weir.cluster;

import dev.weir.model.NodeEndpoint;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Detects that another cluster replaced the followed one: for a while, nodes of one other cluster
 * with the same name answer at more than half of the followed nodes' addresses, and no followed
 * node answers anywhere. So few of the old addresses are left then that the old cluster cannot be
 * operating at them. Confined to the polling thread.
 *
 * <pre>
 *   normal --a foreign node at a known address--> suspected --long enough--> replaced
 *     ^------ a followed or an unjoined node answers ----'
 * </pre>
 */
final class ClusterReplacementDetector {
  private static final int MIN_ATTEMPTS = 3;
  private static final long MIN_NANOS = Duration.ofSeconds(3).toNanos();

  private final Map<InetSocketAddress, StateProbe> foreignNodes = new HashMap<>();
  private int attempts;
  private long sinceNanos;

  /** Records that a node of another cluster answered at an address. */
  void addForeignNode(InetSocketAddress address, StateProbe found) {
    foreignNodes.put(address, found);
  }

  /** Records that no node answered at these addresses. */
  void removeSilent(Collection<InetSocketAddress> addresses) {
    foreignNodes.keySet().removeAll(addresses);
  }

  /** The followed cluster may still exist. */
  void reset() {
    foreignNodes.clear();
    attempts = 0;
  }

  /**
   * Evaluates a round in which all addresses were tried and no followed node answered.
   *
   * @param followed the newest view of the followed cluster
   * @return the uuid of the cluster that replaced it; null while this is uncertain
   */
  @Nullable String findReplacement(ClusterView followed, long nowNanos) {
    Set<InetSocketAddress> own = new HashSet<>();
    for (NodeEndpoint node : followed.nodes().values()) {
      own.add(node.transport());
    }
    foreignNodes.keySet().retainAll(own);
    String uuid = findMajority(followed.state().getClusterName().value(), own.size());
    if (uuid == null) {
      attempts = 0;
      return null;
    }
    if (attempts++ == 0) {
      sinceNanos = nowNanos;
    }
    return attempts >= MIN_ATTEMPTS && nowNanos - sinceNanos >= MIN_NANOS ? uuid : null;
  }

  private @Nullable String findMajority(String name, int addresses) {
    Map<String, Integer> found = new HashMap<>();
    for (StateProbe stranger : foreignNodes.values()) {
      if (stranger.clusterName().equals(name)) {
        found.merge(stranger.clusterUuid(), 1, Integer::sum);
      }
    }
    for (Map.Entry<String, Integer> cluster : found.entrySet()) {
      if (2 * cluster.getValue() > addresses) {
        return cluster.getKey();
      }
    }
    return null;
  }

  /** Returns the addresses at which foreign nodes answered. */
  Set<InetSocketAddress> foreignAddresses() {
    return Set.copyOf(foreignNodes.keySet());
  }
}
