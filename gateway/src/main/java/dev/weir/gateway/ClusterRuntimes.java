package dev.weir.gateway;

import dev.weir.config.policy.GatewayPolicy;
import dev.weir.http.proxy.ProxyStats;
import dev.weir.protocol.registry.OpenSearchRegistries;
import dev.weir.rest.GatewayAddressProvider;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
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
   * @param registries those of the first cluster; each other one gets its own
   * @throws IOException when a file that the policy names can't be used
   */
  static ClusterRuntimes create(
      GatewayPolicy policy, SharedServices shared, OpenSearchRegistries registries)
      throws IOException {
    @Nullable GatewayAddressProvider gateways = AdvertisedGateways.create(policy.http());
    List<ClusterRuntime> made = new ArrayList<>();
    try {
      for (String name : policy.clusters().keySet()) {
        OpenSearchRegistries own = made.isEmpty() ? registries : OpenSearchRegistries.create();
        made.add(new ClusterRuntime(name, policy, shared, own, gateways));
      }
      return new ClusterRuntimes(made);
    } catch (IOException | RuntimeException e) {
      made.forEach(ClusterRuntime::close);
      throw e;
    }
  }

  /** Starts following the clusters' states. */
  void start() {
    all.forEach(cluster -> cluster.connection().follower().start());
  }

  /** The cluster of requests that no rule sends elsewhere. */
  ClusterRuntime defaultCluster() {
    return all.getFirst();
  }

  /** A cluster by its name in the configuration; null for none. */
  @Nullable ClusterRuntime find(String name) {
    for (ClusterRuntime cluster : all) {
      if (cluster.name().equals(name)) {
        return cluster;
      }
    }
    return null;
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

  /** Why no request could be answered now; null while requests could. */
  @Nullable String unavailableReason() {
    String why = null;
    for (ClusterRuntime cluster : all) {
      String missing = cluster.unavailableReason();
      if (missing == null) {
        return null;
      }
      why = why == null ? missing : why;
    }
    return why;
  }

  @Override
  public void close() {
    all.forEach(ClusterRuntime::close);
  }
}
