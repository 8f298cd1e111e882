package dev.weir.gateway;

import dev.weir.config.policy.ClusterPolicy;
import dev.weir.config.policy.GatewayPolicy;
import dev.weir.gateway.advice.AdviceCredentials;
import dev.weir.gateway.advice.AdvicePage;
import dev.weir.gateway.advice.AdvisedClusterAccess;
import dev.weir.gateway.cluster.ClusterConnection;
import dev.weir.gateway.command.ReachableAddress;
import dev.weir.gateway.network.AdvertisedGateways;
import dev.weir.gateway.reload.ReloadablePart;
import dev.weir.gateway.stats.StatsReporters;
import dev.weir.http.proxy.ProxyStats;
import dev.weir.model.NodeEndpoint;
import dev.weir.model.RequestPolicies;
import dev.weir.observe.StatsReporter;
import dev.weir.protocol.registry.OpenSearchRegistries;
import dev.weir.rest.GatewayAddressProvider;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The clusters behind the gateway.
 *
 * @param all in the order of the configuration, one at least
 */
record ClusterRuntimes(List<ClusterRuntime> all) implements AutoCloseable {
  ClusterRuntimes {
    all = List.copyOf(all);
  }

  /**
   * Creates the runtimes; they do nothing until {@link #start}.
   *
   * @param registries of the first cluster; this method creates those of each other cluster
   * @throws IOException when a file that the policy names can't be used
   */
  static ClusterRuntimes create(
      GatewayPolicy policy, SharedServices shared, OpenSearchRegistries registries)
      throws IOException {
    @Nullable GatewayAddressProvider gateways = AdvertisedGateways.create(policy.http());
    List<ClusterRuntime> created = new ArrayList<>();
    try {
      for (String name : policy.clusters().keySet()) {
        OpenSearchRegistries registriesOfCluster =
            created.isEmpty() ? registries : OpenSearchRegistries.create();
        created.add(new ClusterRuntime(name, policy, shared, registriesOfCluster, gateways));
      }
      return new ClusterRuntimes(created);
    } catch (IOException | RuntimeException e) {
      created.forEach(ClusterRuntime::close);
      throw e;
    }
  }

  /** Who checks a client's permissions on each cluster, and why, for {@code /readyz}. */
  Map<String, Object> authorizations() {
    Map<String, Object> byName = new LinkedHashMap<>();
    all.forEach(cluster -> byName.put(cluster.name(), cluster.authorization().state().toMap()));
    return byName;
  }

  /** Starts following the clusters' states. */
  void start() {
    all.forEach(cluster -> cluster.connection().nodes().follower().start());
  }

  /** The cluster of requests that no rule sends elsewhere. */
  ClusterRuntime defaultCluster() {
    return all.getFirst();
  }

  /** Reports each cluster, by its name. */
  Map<String, List<StatsReporter>> reporters(Supplier<RequestPolicies> policies) {
    List<ClusterConnection> connections = all.stream().map(ClusterRuntime::connection).toList();
    Map<String, List<StatsReporter>> byName = new LinkedHashMap<>();
    all.forEach(cluster -> byName.put(cluster.name(), cluster.reporters(connections, policies)));
    return byName;
  }

  /**
   * Creates the page with advice on the clusters.
   *
   * @param restAddress where the gateway's REST port listens, for printed commands
   */
  AdvicePage advicePage(
      GatewayPolicy policy, StatsReporters reporters, Supplier<InetSocketAddress> restAddress) {
    String header = policy.traffic().canaryHeader();
    boolean withHeader = all.size() > 1 && !header.isEmpty();
    Map<String, AdvisedClusterAccess> access = new LinkedHashMap<>();
    for (ClusterRuntime cluster : all) {
      ClusterPolicy ofCluster =
          Objects.requireNonNull(policy.clusters().get(cluster.name()), cluster.name());
      access.put(
          cluster.name(),
          new AdvisedClusterAccess(
              () -> restAddresses(cluster),
              ofCluster.restTls(),
              withHeader ? "-H '" + header + ": " + cluster.name() + "'" : ""));
    }
    String scheme = policy.http().tls().enabled() ? "https://" : "http://";
    return new AdvicePage(
        access,
        AdviceCredentials.of(System.getenv()),
        reporters,
        () -> scheme + ReachableAddress.of(restAddress.get()),
        System::nanoTime);
  }

  private static List<InetSocketAddress> restAddresses(ClusterRuntime cluster) {
    List<InetSocketAddress> addresses = new ArrayList<>();
    for (NodeEndpoint node : cluster.connection().nodes().follower().current().nodes().values()) {
      InetSocketAddress address = node.http();
      if (address != null) {
        addresses.add(address);
      }
    }
    return addresses;
  }

  /** Prepares a changed configuration for every cluster. */
  ReloadablePart.Change prepare(GatewayPolicy running, GatewayPolicy next) {
    List<ReloadablePart.Change> changes = new ArrayList<>();
    for (ClusterRuntime cluster : all) {
      for (ReloadablePart part : cluster.reloadableParts()) {
        changes.add(part.prepare(running, next));
      }
    }
    return ReloadablePart.combine(changes);
  }

  /** Whether many requests pass through: over a limit, or one waits for a connection. */
  boolean isProxyBusy(long maxInFlight) {
    long inFlight = 0;
    for (ClusterRuntime cluster : all) {
      ProxyStats stats = cluster.proxy().stats();
      if (stats.waiting() > 0) {
        return true;
      }
      inFlight += stats.inFlight();
    }
    return inFlight > maxInFlight;
  }

  @Override
  public void close() {
    all.forEach(ClusterRuntime::close);
  }
}
