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
 * Chooses whom to ask: the connected nodes in turn, then the elected cluster manager, which has
 * better things to do, and at last those that let somebody wait lately. Confined to one thread.
 */
final class PollNodeSelector {
  private static final int DEPRIORITIZED_TURNS = 30;

  private final NodeClients clients;

  /** By id, until which turn a node comes last. */
  private final Map<String, Integer> deprioritizedUntil = new HashMap<>();

  private int turn;
  private int checkTurn;

  /**
   * Starts at a turn of its own, so that gateways do not ask the same node at the same time.
   *
   * @param firstTurn any number
   */
  PollNodeSelector(NodeClients clients, int firstTurn) {
    this.clients = clients;
    this.turn = firstTurn;
    this.checkTurn = firstTurn;
  }

  /** The connected nodes in the order to ask them; each call starts one further. */
  List<NodeClient> nextOrder(ClusterView view) {
    return orderFrom(turn++, view);
  }

  /** The same for a rarer question, which has turns of its own: every node gets it in time. */
  List<NodeClient> nextCheckOrder(ClusterView view) {
    return orderFrom(checkTurn++, view);
  }

  /** Records that a node did not answer in time; it is selected last for a while. */
  void deprioritize(NodeClient node) {
    deprioritizedUntil.put(node.endpoint().id(), turn + DEPRIORITIZED_TURNS);
  }

  /** Whether a node comes last. */
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

  /** The elected cluster manager, when connected. */
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
