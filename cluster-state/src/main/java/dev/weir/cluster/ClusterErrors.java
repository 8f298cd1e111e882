package dev.weir.cluster;

import java.net.InetSocketAddress;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What goes wrong, kept for the status. Safe on any thread. */
final class ClusterErrors {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterErrors.class);

  private final Map<String, String> rejectedSeeds = new ConcurrentHashMap<>();
  private volatile @Nullable String lastError;

  /** The newest attempt to hear from the cluster went wrong. */
  void recordFailure(String error) {
    if (lastError == null) {
      LOG.warn("cluster not heard: {}", error);
    }
    lastError = error;
  }

  /** Something of the gateway's own failed in a way that it must not. */
  void recordDefect(String what, Throwable defect) {
    LOG.error("{} failed by a defect", what, defect);
    lastError = what + " failed by a defect: " + defect;
  }

  /** The newest attempt went well. */
  void clearFailure() {
    if (lastError != null) {
      LOG.info("cluster heard again");
    }
    lastError = null;
  }

  /** An address belongs to another cluster. */
  void rejectSeed(InetSocketAddress address, StateProbe found, String followed) {
    String said =
        "got cluster "
            + found.clusterName()
            + " with uuid "
            + found.clusterUuid()
            + " (expected: uuid "
            + followed
            + ")";
    if (!said.equals(rejectedSeeds.put(format(address), said))) {
      LOG.error("seed {} refused: {}", format(address), said);
    }
  }

  /** An address is not, or no longer, of another cluster. */
  void acceptSeed(InetSocketAddress address) {
    rejectedSeeds.remove(format(address));
  }

  /** What went wrong in the newest attempt; null when it went well. */
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
