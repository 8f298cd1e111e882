package dev.weir.gateway.cluster;

import dev.weir.cluster.ClusterFollower;
import dev.weir.cluster.ClusterFollowerOptions;
import dev.weir.cluster.NodeConnector;
import dev.weir.cluster.RestAddressFilter;
import dev.weir.cluster.SeedHosts;
import dev.weir.cluster.ServerVersionHeader;
import dev.weir.config.policy.ClusterPolicy;
import dev.weir.config.policy.GatewayPolicy;
import dev.weir.config.policy.HostPort;
import dev.weir.config.policy.NodeAttribute;
import dev.weir.gateway.admission.LedgerFrameBudget;
import dev.weir.model.NodeEndpoint;
import dev.weir.protocol.TransportClients;
import dev.weir.protocol.TransportOptions;
import dev.weir.protocol.registry.OpenSearchRegistries;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * The nodes of one cluster as the gateway reaches them. Safe on any thread.
 *
 * @param transportClients one client for each node
 * @param follower keeps the newest view of the cluster
 * @param serverVersion the version that the nodes report
 */
public record ClusterNodes(
    TransportClients transportClients, ClusterFollower follower, ServerVersionHeader serverVersion)
    implements AutoCloseable {

  /** Creates the clients; nothing connects before the follower is started. */
  static ClusterNodes create(
      GatewayPolicy policy,
      String name,
      ClusterPolicy cluster,
      SharedResources shared,
      OpenSearchRegistries registries)
      throws IOException {
    TransportOptions options =
        options(cluster)
            .withTls(shared.tlsContexts().transportTls(name, cluster.transportTls()))
            .withBudget(new LedgerFrameBudget(shared.memory().responses()));
    TransportClients clients =
        new TransportClients(
            shared.eventLoops(),
            registries.writeables(),
            options,
            shared.memory().transport(),
            new SplittableRandom());
    ClusterFollowerOptions followerOptions =
        new ClusterFollowerOptions(
            new SeedHosts(cluster.seeds().stream().map(HostPort::toString).toList()),
            null,
            cluster.statePollInterval(),
            new ClusterFollowerOptions.GatewayIdentity(
                "weir", attributes(policy.routing().gatewayAttributes())),
            Map.of(),
            RestAddressFilter.allowing(cluster.restNetworks()));
    ClusterFollower follower =
        new ClusterFollower(
            followerOptions,
            NodeConnector.of(clients),
            registries,
            System::nanoTime,
            SharedResources.RANDOM);
    ServerVersionHeader version = new ServerVersionHeader();
    follower.addListener(version);
    return new ClusterNodes(clients, follower, version);
  }

  private static Map<String, String> attributes(List<NodeAttribute> configured) {
    Map<String, String> attributes = new LinkedHashMap<>();
    configured.forEach(attribute -> attributes.put(attribute.name(), attribute.value()));
    return attributes;
  }

  private static TransportOptions options(ClusterPolicy cluster) {
    TransportOptions standard = TransportOptions.defaults();
    return standard
        .withCompression(
            switch (cluster.compression()) {
              case OFF -> TransportOptions.Compression.OFF;
              case ON -> TransportOptions.Compression.ON;
              case AUTO -> TransportOptions.Compression.AUTO;
              case DEFLATE -> TransportOptions.Compression.DEFLATE;
            })
        .withTiming(standard.timing().withConnectTimeout(cluster.connectTimeout()));
  }

  /** Announces changed attributes of this gateway to the nodes. */
  public void setGatewayAttributes(List<NodeAttribute> changed) {
    follower.setAttributes(attributes(changed));
  }

  /** The REST addresses of the nodes in the newest view. */
  public List<InetSocketAddress> restAddresses() {
    return follower.current().nodes().values().stream()
        .map(NodeEndpoint::http)
        .filter(Objects::nonNull)
        .toList();
  }

  /**
   * Why no node can be reached, with what was tried; null while one can be reached, or may be.
   * Cheap while a node is reached.
   */
  public @Nullable String unavailableReason() {
    return follower.unreachableReason();
  }

  /** The same reason for clients, without the addresses of nodes. */
  public @Nullable String unavailableSummary() {
    return follower.unreachableSummary();
  }

  @Override
  public void close() {
    follower.close();
    transportClients.close();
  }
}
