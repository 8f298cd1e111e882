package dev.weir.cluster;

import dev.weir.model.NodeEndpoint;
import dev.weir.protocol.NodeClient;
import dev.weir.protocol.NodeClients;
import dev.weir.protocol.NodeConnectionListener;
import dev.weir.protocol.SeedClient;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.node.DiscoveryNode;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;

/** Fake nodes of one or several clusters. Safe on any thread. */
final class FakeCluster implements NodeConnector {
  private final Map<InetSocketAddress, FakeSeedClient> byAddress = new ConcurrentHashMap<>();
  private final Map<String, FakeSeedClient> known = new ConcurrentHashMap<>();
  private final List<NodeConnectionListener> listeners = new CopyOnWriteArrayList<>();
  private final NamedWriteableRegistry registry;

  FakeCluster(NamedWriteableRegistry registry) {
    this.registry = registry;
  }

  /** Starts a node. */
  FakeSeedClient start(DiscoveryNode node, ClusterState state) {
    FakeSeedClient fake = new FakeSeedClient(node, state, registry);
    byAddress.put(fake.address(), fake);
    return fake;
  }

  /** Starts all nodes of a state, in the order of their ids. */
  List<FakeSeedClient> startAll(ClusterState state) {
    return state.nodes().getNodes().values().stream()
        .sorted((one, other) -> one.getId().compareTo(other.getId()))
        .map(node -> start(node, state))
        .toList();
  }

  /** Starts all nodes of a state in place of those at their addresses; clients reconnect. */
  List<FakeSeedClient> restartAll(ClusterState state) {
    List<FakeSeedClient> nodes = startAll(state);
    nodes.forEach(node -> known.replace(node.endpoint().id(), node));
    return nodes;
  }

  @Override
  public CompletionStage<SeedClient> connectSeed(InetSocketAddress address) {
    FakeSeedClient node = byAddress.get(address);
    return node == null || !node.up
        ? CompletableFuture.failedStage(new ConnectException("refused: " + address))
        : CompletableFuture.completedStage(node);
  }

  @Override
  public void update(Collection<NodeEndpoint> nodes) {
    known.keySet().retainAll(nodes.stream().map(NodeEndpoint::id).toList());
    for (NodeEndpoint node : nodes) {
      FakeSeedClient fake = byAddress.get(node.transport());
      if (fake != null) {
        known.put(node.id(), fake);
        listeners.forEach(listener -> listener.onChannelOpened(fake, node.ephemeralId()));
      }
    }
  }

  @Override
  public void addConnectionListener(NodeConnectionListener listener) {
    listeners.add(listener);
  }

  @Override
  public NodeClients clients() {
    return new NodeClients() {
      @Override
      public @Nullable NodeClient byId(String nodeId) {
        return known.get(nodeId);
      }

      @Override
      public Collection<? extends NodeClient> all() {
        return known.values();
      }
    };
  }
}
