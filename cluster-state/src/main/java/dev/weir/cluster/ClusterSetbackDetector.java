package dev.weir.cluster;

import dev.weir.model.NodeEndpoint;
import java.time.Duration;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.node.DiscoveryNode;

/**
 * Detects that the followed cluster was set back to an earlier state, for example by snapshots of
 * all disks: for a while, nodes answer with a state that is older than the view's, in which more
 * than half of the view's nodes run at their addresses, under a cluster manager, and none of them
 * as the process that it is in the view. Confined to the polling thread.
 *
 * <p><b>A node that only lags is not mistaken for it.</b> The node is in its own state, as the
 * process that answers. In any later state of the same history it is that process, or it is gone,
 * or it is a process that started after that one had ended, because two processes never share the
 * data of a node. An ended process does not answer. So where a node that answers is another process
 * in the view, the view is not a later state of the node's history, however large its position.
 */
final class ClusterSetbackDetector {
  private static final int MIN_ANSWERS = 3;
  private static final long MIN_NANOS = Duration.ofSeconds(3).toNanos();

  private int answers;
  private long sinceNanos;

  /** A node has the view's state, or a newer one. */
  void reset() {
    answers = 0;
  }

  /**
   * Takes the answer of a node whose state is older than the view.
   *
   * @param nodeId the node
   * @param found its state; metadata of indices and routing are not read
   * @param view the newest view
   * @param nowNanos {@link System#nanoTime()}
   * @return whether the cluster was set back; false while this is uncertain
   */
  boolean isSetBack(String nodeId, ClusterState found, ClusterView view, long nowNanos) {
    if (!isOfAnotherHistory(nodeId, found, view)) {
      answers = 0;
      return false;
    }
    if (answers++ == 0) {
      sinceNanos = nowNanos;
    }
    return answers >= MIN_ANSWERS && nowNanos - sinceNanos >= MIN_NANOS;
  }

  private static boolean isOfAnotherHistory(String nodeId, ClusterState found, ClusterView view) {
    if (found.nodes().getClusterManagerNode() == null
        || !found.nodes().nodeExists(nodeId)
        || !view.nodes().containsKey(nodeId)) {
      return false;
    }
    int restarted = 0;
    for (NodeEndpoint known : view.nodes().values()) {
      DiscoveryNode node = found.nodes().get(known.id());
      if (node == null) {
        continue;
      }
      if (node.getEphemeralId().equals(known.ephemeralId())) {
        return false;
      }
      restarted += node.getAddress().address().equals(known.transport()) ? 1 : 0;
    }
    return 2 * restarted > view.nodes().size();
  }
}
