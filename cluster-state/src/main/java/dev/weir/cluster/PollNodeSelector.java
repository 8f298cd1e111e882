package dev.weir.cluster;

import dev.weir.protocol.NodeClient;
import dev.weir.protocol.NodeClients;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.opensearch.cluster.node.DiscoveryNodes;

/**
 * Selects the nodes to poll: the connected nodes in turn, then the elected cluster manager, to
 * spare it load, and last the nodes that recently timed out. Confined to one thread.
 */
final class PollNodeSelector {
  private static final int DEPRIORITIZED_TURNS = 30;

  private final NodeClients clients;

  /** By node id, the turn until which a node is selected last. */
  private final Map<String, Integer> deprioritizedUntil = new HashMap<>();

  private int turn;
  private int checkTurn;

  /**
   * Starts at a given turn, so that gateways do not poll the same node at the same time.
   *
   * @param firstTurn any number
   */
  PollNodeSelector(NodeClients clients, int firstTurn) {
    this.clients = clients;
    this.turn = firstTurn;
    this.checkTurn = firstTurn;
  }

  /** Returns the connected nodes in the order to ask them; each call starts with the next node. */
  List<NodeClient> nextOrder(ClusterView view) {
    return orderFrom(turn++, view);
  }

  /**
   * Returns an order for a rarer request, with turns of its own, so that every node gets it
   * eventually.
   */
  List<NodeClient> nextCheckOrder(ClusterView view) {
    return orderFrom(checkTurn++, view);
  }

  /** Records that a node did not answer in time; it is selected last for a while. */
  void deprioritize(NodeClient node) {
    deprioritizedUntil.put(node.endpoint().id(), turn + DEPRIORITIZED_TURNS);
  }

  /** Returns whether a node is selected last. */
  boolean isDeprioritized(NodeClient node) {
    Integer until = deprioritizedUntil.get(node.endpoint().id());
    return until != null && until - turn > 0;
  }

  private List<NodeClient> orderFrom(int start, ClusterView view) {
    deprioritizedUntil.values().removeIf(until -> until - turn <= 0);
    @Nullable NodeClient manager = clusterManager(view);
    List<NodeClient> others = new ArrayList<>();
    for (String id : new TreeSet<>(view.nodes().keySet())) {
      NodeClient client = clients.byId(id);
      if (client != null && client.isConnected() && !isClusterManager(view, id)) {
        others.add(client);
      }
    }
    List<NodeClient> order = new ArrayList<>(others.size() + 1);
    if (!others.isEmpty()) {
      int first = Math.floorMod(start, others.size());
      order.addAll(others.subList(first, others.size()));
      order.addAll(others.subList(0, first));
    }
    if (manager != null) {
      order.add(manager);
    }
    if (!deprioritizedUntil.isEmpty()) {
      order.sort(Comparator.comparing(this::isDeprioritized)); // stable: false comes first
    }
    return order;
  }

  /** Returns the elected cluster manager if it is connected, otherwise null. */
  @Nullable NodeClient clusterManager(ClusterView view) {
    String id = view.state().nodes().getClusterManagerNodeId();
    NodeClient client = id == null ? null : clients.byId(id);
    return client != null && client.isConnected() ? client : null;
  }

  private static boolean isClusterManager(ClusterView view, String id) {
    DiscoveryNodes nodes = view.state().nodes();
    return id.equals(nodes.getClusterManagerNodeId());
  }
}
