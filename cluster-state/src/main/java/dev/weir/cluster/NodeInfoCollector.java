package dev.weir.cluster;

import dev.weir.model.NodeEndpoint;
import dev.weir.model.NodeRequestRules;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.NodeClient;
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
import org.opensearch.action.admin.cluster.node.info.PluginsAndModules;
import org.opensearch.action.admin.cluster.node.info.TransportNodesInfoAction.NodeInfoRequest;
import org.opensearch.action.search.CreatePitController;
import org.opensearch.cluster.node.DiscoveryNode;
import org.opensearch.cluster.node.DiscoveryNodeRole;
import org.opensearch.cluster.node.DiscoveryNodes;
import org.opensearch.common.settings.ClusterSettings;
import org.opensearch.common.settings.Setting;
import org.opensearch.common.settings.Settings;
import org.opensearch.common.unit.TimeValue;
import org.opensearch.http.HttpInfo;
import org.opensearch.monitor.jvm.JvmInfo;
import org.opensearch.plugins.PluginInfo;
import org.opensearch.threadpool.ThreadPool;
import org.opensearch.threadpool.ThreadPoolInfo;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Collects what nodes report about themselves beyond the cluster state: their REST address, the
 * settings in their own files, their plugins and their heap. Asks once per start of a node. Safe on
 * any thread.
 */
final class NodeInfoCollector {
  private static final Logger LOG = LoggerFactory.getLogger(NodeInfoCollector.class);
  private static final Duration TIMEOUT = Duration.ofSeconds(2);
  private static final Duration RESPONSE_MARGIN = Duration.ofSeconds(2);
  private static final String LOCAL_NODE = NodesInfoAction.NAME + "[n]";

  /** The thread pools whose sizes bound a node's concurrency. */
  private static final Set<String> THREAD_POOLS =
      Set.of(ThreadPool.Names.SEARCH, ThreadPool.Names.GET, ThreadPool.Names.WRITE);

  /** The static settings of {@link ClusterViewSettings}. */
  private static final Set<String> STATIC_SETTINGS =
      Set.of(CreatePitController.PIT_INIT_KEEP_ALIVE.getKey());

  private final BlockingNodeCaller calls;
  private final ClusterSettings registered;
  private final RestAddressFilter restAddresses;

  /** By ephemeral id. */
  private final Map<String, NodeDetails> details = new ConcurrentHashMap<>();

  private record NodeDetails(
      @Nullable InetSocketAddress http,
      Settings settings,
      NodeRequestRules rules,
      Map<String, Integer> threads,
      @Nullable Set<String> plugins) {}

  NodeInfoCollector(
      BlockingNodeCaller calls, ClusterSettings registered, RestAddressFilter restAddresses) {
    this.calls = calls;
    this.registered = registered;
    this.restAddresses = restAddresses;
  }

  /**
   * Returns the ids of the nodes with missing details. (A starting node joins the cluster before it
   * binds its REST address.)
   */
  Set<String> findIncomplete(DiscoveryNodes nodes, DiscoveryNode self) {
    Set<String> missing = new HashSet<>();
    for (DiscoveryNode node : nodes) {
      NodeDetails fact = details.get(node.getEphemeralId());
      if (!node.getId().equals(self.getId()) && (fact == null || fact.http() == null)) {
        missing.add(node.getId());
      }
    }
    return missing;
  }

  /**
   * Asks one node to ask others; returns whether any of them reported something new. Blocks; for
   * virtual threads.
   */
  boolean collect(NodeClient node, Set<String> nodeIds)
      throws NodeCallException, InterruptedException {
    if (nodeIds.isEmpty()) {
      return false; // an empty list would mean all nodes
    }
    NodesInfoRequest request = request(nodeIds.toArray(String[]::new));
    NodesInfoResponse answer =
        calls.call(
            node,
            NodesInfoAction.NAME,
            request,
            NodesInfoResponse::new,
            TIMEOUT.plus(RESPONSE_MARGIN));
    boolean news = false;
    for (NodeInfo info : answer.getNodes()) {
      news |= record(info);
    }
    return news;
  }

  /**
   * Asks a node about itself, with the action that nodes use among each other: with the security
   * plugin a node certificate suffices for it. Returns whether the node reported something new.
   * Blocks; for virtual threads.
   */
  boolean collectOwn(NodeClient node) throws NodeCallException, InterruptedException {
    return record(
        calls.call(
            node,
            LOCAL_NODE,
            new NodeInfoRequest(request(node.endpoint().id())),
            NodeInfo::new,
            TIMEOUT.plus(RESPONSE_MARGIN)));
  }

  private static NodesInfoRequest request(String... nodeIds) {
    return new NodesInfoRequest(nodeIds)
        .clear()
        .addMetrics(
            NodesInfoRequest.Metric.HTTP.metricName(),
            NodesInfoRequest.Metric.JVM.metricName(),
            NodesInfoRequest.Metric.PLUGINS.metricName(),
            NodesInfoRequest.Metric.SETTINGS.metricName(),
            NodesInfoRequest.Metric.THREAD_POOL.metricName())
        .timeout(TimeValue.timeValueMillis(TIMEOUT.toMillis()));
  }

  private boolean record(NodeInfo info) {
    HttpInfo http = info.getInfo(HttpInfo.class);
    NodeDetails fact =
        new NodeDetails(
            http == null ? null : http.address().publishAddress().address(),
            coordinatorSettings(info.getSettings()),
            NodeRequestRulesReader.read(
                info.getSettings() == null ? Settings.EMPTY : info.getSettings(),
                info.getVersion(),
                heapBytes(info.getInfo(JvmInfo.class))),
            threads(info.getInfo(ThreadPoolInfo.class)),
            plugins(info.getInfo(PluginsAndModules.class)));
    boolean news = !fact.equals(details.put(info.getNode().getEphemeralId(), fact));
    if (news && fact.http() != null && trustedHttp(info.getNode(), fact) == null) {
      LOG.warn(
          "node {} with the transport address {} reports the REST address {}, which is in another"
              + " network: no request passes through to it. If the address is right, add its"
              + " network to rest-networks of the cluster",
          info.getNode().getName(),
          info.getNode().getAddress(),
          fact.http());
    }
    return news;
  }

  /** Discards the details of nodes that left the cluster. */
  void retainOnly(DiscoveryNodes nodes) {
    Set<String> present = new HashSet<>();
    nodes.forEach(node -> present.add(node.getEphemeralId()));
    details.keySet().retainAll(present);
  }

  /** Returns the endpoints of the nodes. */
  Map<String, NodeEndpoint> endpoints(DiscoveryNodes nodes, DiscoveryNode self) {
    Map<String, NodeEndpoint> endpoints = new HashMap<>();
    for (DiscoveryNode node : nodes) {
      if (!node.getId().equals(self.getId())) {
        endpoints.put(node.getId(), endpoint(node));
      }
    }
    return endpoints;
  }

  /** Returns the settings of coordinating nodes on which all nodes' own files agree. */
  Settings agreedSettings() {
    List<Settings> all = details.values().stream().map(NodeDetails::settings).distinct().toList();
    if (all.isEmpty()) {
      return Settings.EMPTY;
    }
    Settings first = all.getFirst();
    return first.filter(key ->
        all.stream()
            .allMatch(
                other -> first.getAsList(key, List.of()).equals(other.getAsList(key, List.of()))));
  }

  /** Returns the strictest rules of all nodes that have reported their settings. */
  NodeRequestRules requestRules() {
    return NodeRequestRulesReader.strictest(
        details.values().stream().map(NodeDetails::rules).toList());
  }

  private NodeEndpoint endpoint(DiscoveryNode node) {
    NodeDetails fact = details.get(node.getEphemeralId());
    return new NodeEndpoint(
        node.getId(),
        node.getEphemeralId(),
        node.getName(),
        node.getAddress().address(),
        fact == null ? null : trustedHttp(node, fact),
        node.getRoles().stream()
            .map(DiscoveryNodeRole::roleName)
            .collect(Collectors.toUnmodifiableSet()),
        Map.copyOf(node.getAttributes()),
        node.getVersion().toString(),
        fact == null ? Map.of() : fact.threads(),
        fact == null ? null : fact.plugins());
  }

  private @Nullable InetSocketAddress trustedHttp(DiscoveryNode node, NodeDetails fact) {
    InetSocketAddress http = fact.http();
    return http != null && restAddresses.isTrusted(node.getAddress().address(), http) ? http : null;
  }

  private static long heapBytes(@Nullable JvmInfo jvm) {
    long bytes = jvm == null ? 0 : jvm.getMem().getHeapMax().getBytes();
    return bytes > 0 ? bytes : Long.MAX_VALUE;
  }

  private static Map<String, Integer> threads(@Nullable ThreadPoolInfo pools) {
    Map<String, Integer> threads = new HashMap<>();
    if (pools != null) {
      for (ThreadPool.Info pool : pools) {
        if (THREAD_POOLS.contains(pool.getName()) && pool.getMax() > 0) {
          threads.put(pool.getName(), pool.getMax());
        }
      }
    }
    return Map.copyOf(threads);
  }

  /** Modules are part of OpenSearch and left out; null when the node did not report. */
  private static @Nullable Set<String> plugins(@Nullable PluginsAndModules reported) {
    return reported == null
        ? null
        : reported.getPluginInfos().stream()
            .map(PluginInfo::getName)
            .collect(Collectors.toUnmodifiableSet());
  }

  /** Keeps the dynamic settings, and the static ones that a coordinating node reads. */
  private Settings coordinatorSettings(@Nullable Settings settings) {
    if (settings == null) {
      return Settings.EMPTY;
    }
    return settings.filter(key -> {
      Setting<?> setting = registered.get(key);
      return setting != null
          && (setting.isDynamic() || STATIC_SETTINGS.contains(key))
          && !key.startsWith("logger.");
    });
  }
}
