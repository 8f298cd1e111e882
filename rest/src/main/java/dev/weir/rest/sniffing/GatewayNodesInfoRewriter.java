package dev.weir.rest.sniffing;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.opensearch.Version;
import org.opensearch.action.admin.cluster.node.info.NodeInfo;
import org.opensearch.action.admin.cluster.node.info.NodesInfoResponse;
import org.opensearch.action.admin.cluster.node.info.PluginsAndModules;
import org.opensearch.cluster.node.DiscoveryNode;
import org.opensearch.common.network.InetAddresses;
import org.opensearch.core.common.transport.BoundTransportAddress;
import org.opensearch.core.common.transport.TransportAddress;
import org.opensearch.http.HttpInfo;
import org.opensearch.ingest.IngestInfo;
import org.opensearch.monitor.jvm.JvmInfo;
import org.opensearch.monitor.os.OsInfo;
import org.opensearch.monitor.process.ProcessInfo;
import org.opensearch.search.aggregations.support.AggregationInfo;
import org.opensearch.search.pipeline.SearchPipelineInfo;
import org.opensearch.threadpool.ThreadPoolInfo;
import org.opensearch.transport.TransportInfo;

/** Replaces the nodes' REST addresses in a nodes info response by the gateways' addresses. Pure. */
public final class GatewayNodesInfoRewriter {
  private GatewayNodesInfoRewriter() {}

  /** Describes only the gateways, as nodes without roles, with the nodes' oldest version. */
  public static NodesInfoResponse replaceNodes(
      NodesInfoResponse answer, List<InetSocketAddress> gateways) {
    List<NodeInfo> nodes = answer.getNodes();
    if (nodes.isEmpty()) {
      return answer;
    }
    NodeInfo oldest = nodes.stream().min(Comparator.comparing(NodeInfo::getVersion)).orElseThrow();
    List<NodeInfo> found = new ArrayList<>();
    for (InetSocketAddress gateway : gateways) {
      found.add(
          NodeInfo.builder(oldest.getVersion(), oldest.getBuild(), gatewayNode(gateway, oldest))
              .setHttp(http(gateway, oldest.getInfo(HttpInfo.class)))
              .build());
    }
    return new NodesInfoResponse(answer.getClusterName(), found, List.of());
  }

  /** Describes the nodes with the gateways' addresses, in rotation. */
  public static NodesInfoResponse replaceAddresses(
      NodesInfoResponse answer, List<InetSocketAddress> gateways) {
    List<NodeInfo> changed = new ArrayList<>();
    for (NodeInfo node : answer.getNodes()) {
      HttpInfo http = node.getInfo(HttpInfo.class);
      InetSocketAddress gateway = gateways.get(changed.size() % gateways.size());
      changed.add(http == null ? node : withHttpInfo(http(gateway, http), node));
    }
    return new NodesInfoResponse(answer.getClusterName(), changed, answer.failures());
  }

  /** A gateway's id is derived from its address, so that all gateways return the same ids. */
  private static DiscoveryNode gatewayNode(InetSocketAddress gateway, NodeInfo like) {
    TransportAddress address = new TransportAddress(gateway);
    String host = gateway.getHostString();
    String name =
        "weir-" + (InetAddresses.isInetAddress(host) ? address : host + ":" + gateway.getPort());
    Version version = like.getVersion();
    return new DiscoveryNode(
        name, name, name, host, address.getAddress(), address, Map.of(), Set.of(), version);
  }

  private static HttpInfo http(InetSocketAddress gateway, HttpInfo like) {
    TransportAddress address = new TransportAddress(gateway);
    return new HttpInfo(
        new BoundTransportAddress(new TransportAddress[] {address}, address),
        like.maxContentLength().getBytes());
  }

  private static NodeInfo withHttpInfo(HttpInfo http, NodeInfo node) {
    return NodeInfo.builder(node.getVersion(), node.getBuild(), node.getNode())
        .setSettings(node.getSettings())
        .setOs(node.getInfo(OsInfo.class))
        .setProcess(node.getInfo(ProcessInfo.class))
        .setJvm(node.getInfo(JvmInfo.class))
        .setThreadPool(node.getInfo(ThreadPoolInfo.class))
        .setTransport(node.getInfo(TransportInfo.class))
        .setHttp(http)
        .setPlugins(node.getInfo(PluginsAndModules.class))
        .setIngest(node.getInfo(IngestInfo.class))
        .setAggsInfo(node.getInfo(AggregationInfo.class))
        .setTotalIndexingBuffer(node.getTotalIndexingBuffer())
        .setSearchPipelineInfo(node.getInfo(SearchPipelineInfo.class))
        .build();
  }
}
