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
 * Tells when another cluster has taken the place of the one that is followed: at more than half of
 * its nodes' addresses nodes of one other cluster answer, of the same name, for a while, and
 * nowhere one of its own. So few of the old addresses are left then that the old cluster can't be
 * at work at them. Confined to the watching thread.
 *
 * <pre>
 *   nothing strange --a stranger at a node's address--> watched --long enough--> replaced
 *         ^------- anybody of the old cluster, or of none yet -----'
 * </pre>
 */
final class ClusterReplacementDetector {
  private static final int MIN_ATTEMPTS = 3;
  private static final long MIN_NANOS = Duration.ofSeconds(3).toNanos();

  private final Map<InetSocketAddress, StateProbe> foreignNodes = new HashMap<>();
  private int attempts;
  private long sinceNanos;

  /** A node of another cluster answered at an address. */
  void addForeignNode(InetSocketAddress address, StateProbe found) {
    foreignNodes.put(address, found);
  }

  /** Nobody answered at these. */
  void removeSilent(Collection<InetSocketAddress> addresses) {
    foreignNodes.keySet().removeAll(addresses);
  }

  /** The followed cluster may still be there. */
  void reset() {
    foreignNodes.clear();
    attempts = 0;
  }

  /**
   * All addresses were tried, and nobody of the followed cluster answered.
   *
   * @param followed what is known of that cluster
   * @return the uuid of the one that took its place; null while that is not sure
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

  /** Where strangers answered. */
  Set<InetSocketAddress> foreignAddresses() {
    return Set.copyOf(foreignNodes.keySet());
  }
}
