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
final class Candidates {
  private static final int LOOKS_DISTRUSTED = 30;

  private final NodeClients clients;

  /** By id, until which turn a node comes last. */
  private final Map<String, Integer> distrusted = new HashMap<>();

  private int turn;
  private int checkTurn;

  /**
   * Starts at a turn of its own, so that gateways do not ask the same node at the same time.
   *
   * @param firstTurn any number
   */
  Candidates(NodeClients clients, int firstTurn) {
    this.clients = clients;
    this.turn = firstTurn;
    this.checkTurn = firstTurn;
  }

  /** The connected nodes in the order to ask them; each call starts one further. */
  List<NodeClient> inTurn(ClusterView view) {
    return from(turn++, view);
  }

  /** The same for a rarer question, which has turns of its own: every node gets it in time. */
  List<NodeClient> inTurnOfChecks(ClusterView view) {
    return from(checkTurn++, view);
  }

  /** Notes that a node let somebody wait in vain: it comes last for a while. */
  void distrust(NodeClient node) {
    distrusted.put(node.endpoint().id(), turn + LOOKS_DISTRUSTED);
  }

  /** Whether a node comes last. */
  boolean distrusts(NodeClient node) {
    Integer until = distrusted.get(node.endpoint().id());
    return until != null && until - turn > 0;
  }

  private List<NodeClient> from(int start, ClusterView view) {
    distrusted.values().removeIf(until -> until - turn <= 0);
    @Nullable NodeClient manager = manager(view);
    List<NodeClient> others = new ArrayList<>();
    for (String id : new TreeSet<>(view.nodes().keySet())) {
      NodeClient client = clients.byId(id);
      if (client != null && client.connected() && !isManager(view, id)) {
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
    if (!distrusted.isEmpty()) {
      order.sort(Comparator.comparing(this::distrusts)); // stable: false comes first
    }
    return order;
  }

  /** The elected cluster manager, when connected. */
  @Nullable NodeClient manager(ClusterView view) {
    String id = view.state().nodes().getClusterManagerNodeId();
    NodeClient client = id == null ? null : clients.byId(id);
    return client != null && client.connected() ? client : null;
  }

  private static boolean isManager(ClusterView view, String id) {
    DiscoveryNodes nodes = view.state().nodes();
    return id.equals(nodes.getClusterManagerNodeId());
  }
}
