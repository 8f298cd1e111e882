package dev.weir.cluster;

import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Collects errors of following the cluster, for the status. Safe on any thread. */
final class ClusterErrors {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterErrors.class);

  private final Map<String, String> rejectedSeeds = new ConcurrentHashMap<>();
  private volatile @Nullable String lastError;

  /** The latest attempt to read the cluster state failed. */
  void recordFailure(String error) {
    if (lastError == null) {
      LOG.warn("cluster state not updated: {}", error);
    }
    lastError = error;
  }

  /** A defect in the gateway itself; only a bug causes it. */
  void recordDefect(String what, Throwable defect) {
    LOG.error("{} failed by a defect", what, defect);
    lastError = what + " failed by a defect: " + defect;
  }

  /** The latest attempt succeeded. */
  void clearFailure() {
    if (lastError != null) {
      LOG.info("cluster state updated again");
    }
    lastError = null;
  }

  /** Records that a seed's address belongs to another cluster. */
  void rejectSeed(InetSocketAddress address, StateProbe found, String followed) {
    String description =
        "got cluster "
            + found.clusterName()
            + " with uuid "
            + found.clusterUuid()
            + " (expected: uuid "
            + followed
            + ")";
    if (!description.equals(rejectedSeeds.put(format(address), description))) {
      LOG.error("seed {} rejected: {}", format(address), description);
    }
  }

  /** Records that an address does not belong to another cluster (any more). */
  void acceptSeed(InetSocketAddress address) {
    rejectedSeeds.remove(format(address));
  }

  /** Discards what was recorded of addresses that are no seeds any more. */
  void retainSeeds(Collection<InetSocketAddress> seeds) {
    rejectedSeeds.keySet().retainAll(seeds.stream().map(ClusterErrors::format).toList());
  }

  /** Returns the error of the latest attempt; null if it succeeded. */
  @Nullable String lastError() {
    return lastError;
  }

  ClusterStatus.Errors snapshot() {
    return new ClusterStatus.Errors(lastError, new TreeMap<>(rejectedSeeds));
  }

  private static String format(InetSocketAddress address) {
    return address.getHostString() + ":" + address.getPort();
  }
}
