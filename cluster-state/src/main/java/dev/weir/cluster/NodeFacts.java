package dev.weir.cluster;

import dev.weir.model.NodeEndpoint;
import dev.weir.protocol.NodeClient;
import dev.weir.protocol.NodeFailure;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.admin.cluster.node.info.NodeInfo;
import org.opensearch.action.admin.cluster.node.info.NodesInfoAction;
import org.opensearch.action.admin.cluster.node.info.NodesInfoRequest;
import org.opensearch.action.admin.cluster.node.info.NodesInfoResponse;
import org.opensearch.action.admin.cluster.node.info.TransportNodesInfoAction.NodeInfoRequest;
import org.opensearch.cluster.node.DiscoveryNode;
import org.opensearch.cluster.node.DiscoveryNodeRole;
import org.opensearch.cluster.node.DiscoveryNodes;
import org.opensearch.common.settings.ClusterSettings;
import org.opensearch.common.settings.Setting;
import org.opensearch.common.settings.Settings;
import org.opensearch.common.unit.TimeValue;
import org.opensearch.http.HttpInfo;
import org.opensearch.threadpool.ThreadPool;
import org.opensearch.threadpool.ThreadPoolInfo;

/**
 * What nodes say of themselves that the cluster state does not: their REST address and the settings
 * in their own files. Learned once for each start of a node. Safe on any thread.
 */
final class NodeFacts {
  private static final Duration PATIENCE = Duration.ofSeconds(2);
  private static final Duration GRACE = Duration.ofSeconds(2);
  private static final String OF_ITSELF = NodesInfoAction.NAME + "[n]";

  /** The pools whose sizes tell how much a node does at a time. */
  private static final Set<String> POOLS =
      Set.of(ThreadPool.Names.SEARCH, ThreadPool.Names.GET, ThreadPool.Names.WRITE);

  private final Calls calls;
  private final ClusterSettings registered;

  /** By ephemeral id. */
  private final Map<String, Fact> facts = new ConcurrentHashMap<>();

  private record Fact(
      @Nullable InetSocketAddress http, Settings settings, Map<String, Integer> threads) {}

  NodeFacts(Calls calls, ClusterSettings registered) {
    this.calls = calls;
    this.registered = registered;
  }

  /**
   * Nodes that have not told everything yet. (One that starts joins before it binds its REST
   * address.)
   */
  Set<String> missing(DiscoveryNodes nodes, DiscoveryNode self) {
    Set<String> missing = new HashSet<>();
    for (DiscoveryNode node : nodes) {
      Fact fact = facts.get(node.getEphemeralId());
      if (!node.getId().equals(self.getId()) && (fact == null || fact.http() == null)) {
        missing.add(node.getId());
      }
    }
    return missing;
  }

  /**
   * Asks one node to ask others; whether any of them told something new. Blocks; for virtual
   * threads.
   */
  boolean learn(NodeClient node, Set<String> nodeIds) throws NodeFailure, InterruptedException {
    if (nodeIds.isEmpty()) {
      return false; // to the node, no ids would mean all
    }
    NodesInfoRequest request = request(nodeIds.toArray(String[]::new));
    NodesInfoResponse answer =
        calls.call(
            node, NodesInfoAction.NAME, request, NodesInfoResponse::new, PATIENCE.plus(GRACE));
    boolean news = false;
    for (NodeInfo info : answer.getNodes()) {
      news |= note(info);
    }
    return news;
  }

  /**
   * Asks a node of itself, in the way that nodes ask each other: with the security plugin that is
   * what a node's certificate suffices for. Says whether it told something new. Blocks; for virtual
   * threads.
   */
  boolean learnOf(NodeClient node) throws NodeFailure, InterruptedException {
    return note(
        calls.call(
            node,
            OF_ITSELF,
            new NodeInfoRequest(request(node.endpoint().id())),
            NodeInfo::new,
            PATIENCE.plus(GRACE)));
  }

  private static NodesInfoRequest request(String... nodeIds) {
    return new NodesInfoRequest(nodeIds)
        .clear()
        .addMetrics(
            NodesInfoRequest.Metric.HTTP.metricName(),
            NodesInfoRequest.Metric.SETTINGS.metricName(),
            NodesInfoRequest.Metric.THREAD_POOL.metricName())
        .timeout(TimeValue.timeValueMillis(PATIENCE.toMillis()));
  }

  private boolean note(NodeInfo info) {
    HttpInfo http = info.getInfo(HttpInfo.class);
    Fact fact =
        new Fact(
            http == null ? null : http.address().publishAddress().address(),
            dynamic(info.getSettings()),
            threads(info.getInfo(ThreadPoolInfo.class)));
    return !fact.equals(facts.put(info.getNode().getEphemeralId(), fact));
  }

  /** Forgets nodes that are gone. */
  void retain(DiscoveryNodes nodes) {
    Set<String> present = new HashSet<>();
    nodes.forEach(node -> present.add(node.getEphemeralId()));
    facts.keySet().retainAll(present);
  }

  /** The nodes as the gateway reaches them. */
  Map<String, NodeEndpoint> endpoints(DiscoveryNodes nodes, DiscoveryNode self) {
    Map<String, NodeEndpoint> endpoints = new HashMap<>();
    for (DiscoveryNode node : nodes) {
      if (!node.getId().equals(self.getId())) {
        endpoints.put(node.getId(), endpoint(node));
      }
    }
    return endpoints;
  }

  /** The dynamic cluster settings that all nodes' own files agree on. */
  Settings agreed() {
    List<Settings> all = facts.values().stream().map(Fact::settings).distinct().toList();
    if (all.isEmpty()) {
      return Settings.EMPTY;
    }
    Settings first = all.getFirst();
    return first.filter(key ->
        all.stream()
            .allMatch(
                other -> first.getAsList(key, List.of()).equals(other.getAsList(key, List.of()))));
  }

  private NodeEndpoint endpoint(DiscoveryNode node) {
    Fact fact = facts.get(node.getEphemeralId());
    return new NodeEndpoint(
        node.getId(),
        node.getEphemeralId(),
        node.getName(),
        node.getAddress().address(),
        fact == null ? null : fact.http(),
        node.getRoles().stream()
            .map(DiscoveryNodeRole::roleName)
            .collect(Collectors.toUnmodifiableSet()),
        Map.copyOf(node.getAttributes()),
        node.getVersion().toString(),
        fact == null ? Map.of() : fact.threads());
  }

  private static Map<String, Integer> threads(@Nullable ThreadPoolInfo pools) {
    Map<String, Integer> threads = new HashMap<>();
    if (pools != null) {
      for (ThreadPool.Info pool : pools) {
        if (POOLS.contains(pool.getName()) && pool.getMax() > 0) {
          threads.put(pool.getName(), pool.getMax());
        }
      }
    }
    return Map.copyOf(threads);
  }

  private Settings dynamic(@Nullable Settings settings) {
    if (settings == null) {
      return Settings.EMPTY;
    }
    return settings.filter(key -> {
      Setting<?> setting = registered.get(key);
      return setting != null && setting.isDynamic() && !key.startsWith("logger.");
    });
  }
}
