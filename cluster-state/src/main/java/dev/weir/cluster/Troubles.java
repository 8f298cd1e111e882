package dev.weir.cluster;

import java.net.InetSocketAddress;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What goes wrong, kept for the status. Safe on any thread. */
final class Troubles {
  private static final Logger LOG = LoggerFactory.getLogger(Troubles.class);

  private final Map<String, String> refused = new ConcurrentHashMap<>();
  private volatile @Nullable String lastError;

  /** The newest attempt to hear from the cluster went wrong. */
  void failed(String error) {
    if (lastError == null) {
      LOG.warn("cluster not heard: {}", error);
    }
    lastError = error;
  }

  /** Something of the gateway's own failed in a way that it must not. */
  void broke(String what, Throwable defect) {
    LOG.error("{} failed by a defect", what, defect);
    lastError = what + " failed by a defect: " + defect;
  }

  /** The newest attempt went well. */
  void healed() {
    if (lastError != null) {
      LOG.info("cluster heard again");
    }
    lastError = null;
  }

  /** An address belongs to another cluster. */
  void refuse(InetSocketAddress address, Vitals found, String followed) {
    String said =
        "got cluster "
            + found.clusterName()
            + " with uuid "
            + found.clusterUuid()
            + " (expected: uuid "
            + followed
            + ")";
    if (!said.equals(refused.put(text(address), said))) {
      LOG.error("seed {} refused: {}", text(address), said);
    }
  }

  /** An address is not, or no longer, of another cluster. */
  void accept(InetSocketAddress address) {
    refused.remove(text(address));
  }

  /** What went wrong in the newest attempt; null when it went well. */
  @Nullable String lastError() {
    return lastError;
  }

  ClusterStatus.Trouble now() {
    return new ClusterStatus.Trouble(lastError, new TreeMap<>(refused));
  }

  private static String text(InetSocketAddress address) {
    return address.getHostString() + ":" + address.getPort();
  }
}
