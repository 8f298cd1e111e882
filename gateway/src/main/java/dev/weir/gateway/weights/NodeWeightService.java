package dev.weir.gateway.weights;

import dev.weir.cluster.BlockingNodeCaller;
import dev.weir.cluster.ClusterFollower;
import dev.weir.cluster.ClusterView;
import dev.weir.cluster.ClusterViewListener;
import dev.weir.model.NodeEndpoint;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.NodeClient;
import dev.weir.protocol.TransportClients;
import dev.weir.routing.weight.NodeWeight;
import dev.weir.routing.weight.NodeWeights;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.admin.cluster.settings.ClusterUpdateSettingsAction;
import org.opensearch.action.admin.cluster.settings.ClusterUpdateSettingsRequest;
import org.opensearch.common.settings.Settings;

/**
 * Follows the weights of a cluster's nodes, and changes them for all gateways. They are persistent
 * settings of the cluster: they survive every restart, reach all gateways with the next cluster
 * state, and need neither an index nor connections between gateways. Safe on any thread.
 */
public final class NodeWeightService implements ClusterViewListener {
  private static final Duration CALL_TIMEOUT = Duration.ofSeconds(30);
  private static final long VIEW_TIMEOUT_MILLIS = 5000;

  private final ClusterFollower follower;
  private final TransportClients clients;
  private final NodeWeights weights;
  private final LongSupplier millisClock;
  private final BlockingNodeCaller calls = new BlockingNodeCaller(Map.of());
  private volatile NodeWeightSetting.Parsed newest =
      new NodeWeightSetting.Parsed(Map.of(), Map.of());

  /**
   * Starts with full weights; add it to the follower's listeners.
   *
   * @param weights follow the settings of the cluster
   * @param millisClock the time of day in milliseconds since 1970
   */
  public NodeWeightService(
      ClusterFollower follower,
      TransportClients clients,
      NodeWeights weights,
      LongSupplier millisClock) {
    this.follower = follower;
    this.clients = clients;
    this.weights = weights;
    this.millisClock = millisClock;
  }

  @Override
  public void onChange(ClusterView before, ClusterView now) {
    NodeWeightSetting.Parsed parsed =
        NodeWeightSetting.parse(now.state().metadata().persistentSettings());
    newest = parsed;
    Map<String, NodeWeight> byNodeId = new HashMap<>();
    if (!parsed.byName().isEmpty()) {
      now.nodes()
          .forEach((nodeId, node) -> {
            NodeWeight weight = parsed.byName().get(node.name());
            if (weight != null) {
              byNodeId.put(nodeId, weight);
            }
          });
    }
    weights.replace(byNodeId);
  }

  ClusterView view() {
    return follower.current();
  }

  NodeWeightSetting.Parsed settings() {
    return newest;
  }

  NodeWeights weights() {
    return weights;
  }

  long nowMillis() {
    return millisClock.getAsLong();
  }

  /** Returns a node by its name, or by its id; null for none. */
  @Nullable NodeEndpoint findNode(String nameOrId) {
    Map<String, NodeEndpoint> nodes = view().nodes();
    return nodes.values().stream()
        .filter(node -> node.name().equals(nameOrId))
        .findFirst()
        .orElse(nodes.get(nameOrId));
  }

  /**
   * Changes the weight of a node, and removes weights that are full. Blocks until the cluster has
   * accepted it, and this gateway has seen it.
   *
   * @throws NodeCallException if the cluster manager can't be reached, or refuses
   */
  void change(String nodeName, NodeWeight weight) throws NodeCallException, InterruptedException {
    Settings.Builder changed = Settings.builder();
    settings()
        .byName()
        .forEach((name, known) -> {
          if (known.isFull(nowMillis())) {
            changed.putNull(NodeWeightSetting.key(name));
          }
        });
    String key = NodeWeightSetting.key(nodeName);
    if (weight.isFull(nowMillis())) {
      changed.putNull(key);
    } else {
      changed.put(key, NodeWeightSetting.format(weight));
    }
    ClusterView before = view();
    calls.call(
        clusterManager(before),
        ClusterUpdateSettingsAction.NAME,
        new ClusterUpdateSettingsRequest().persistentSettings(changed),
        ClusterUpdateSettingsAction.INSTANCE.getResponseReader(),
        CALL_TIMEOUT);
    awaitView(before, key, weight);
  }

  /** Returns the elected cluster manager, or any node, which forwards the request to it. */
  private NodeClient clusterManager(ClusterView view) {
    String manager = view.state().nodes().getClusterManagerNodeId();
    NodeClient client = manager == null ? null : clients.byId(manager);
    if (client != null && client.isConnected()) {
      return client;
    }
    return clients.all().stream()
        .filter(NodeClient::isConnected)
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("no node of the cluster can be reached"));
  }

  /** The change is in force, and this gateway will see it: that takes a while at worst. */
  private void awaitView(ClusterView before, String key, NodeWeight weight)
      throws InterruptedException {
    String expected = weight.isFull(nowMillis()) ? null : NodeWeightSetting.format(weight);
    long end = nowMillis() + VIEW_TIMEOUT_MILLIS;
    ClusterView view = before;
    while (!Objects.equals(view.state().metadata().persistentSettings().get(key), expected)) {
      try {
        view =
            follower
                .refresh(view)
                .toCompletableFuture()
                .get(Math.max(1, end - nowMillis()), TimeUnit.MILLISECONDS);
      } catch (TimeoutException | ExecutionException late) {
        return;
      }
      if (nowMillis() >= end) {
        return;
      }
    }
  }
}
