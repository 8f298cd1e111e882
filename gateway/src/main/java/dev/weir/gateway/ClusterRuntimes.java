package dev.weir.gateway;

import dev.weir.config.policy.GatewayPolicy;
import dev.weir.protocol.registry.OpenSearchRegistries;
import dev.weir.rest.GatewayAddressProvider;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
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
   * Makes them; they do nothing until they are started.
   *
   * @param policy the one in force now
   * @param registries those of the first; each other one has its own
   * @throws IOException when a file that the policy names can't be used
   */
  static ClusterRuntimes create(
      Supplier<GatewayPolicy> policy, SharedServices commons, OpenSearchRegistries registries)
      throws IOException {
    @Nullable GatewayAddressProvider gateways = AdvertisedGateways.create(policy.get().http());
    List<ClusterRuntime> made = new ArrayList<>();
    try {
      for (String name : policy.get().clusters().keySet()) {
        OpenSearchRegistries own = made.isEmpty() ? registries : OpenSearchRegistries.create();
        made.add(ClusterRuntime.create(name, policy, commons, own, gateways));
      }
      return new ClusterRuntimes(made);
    } catch (IOException | RuntimeException e) {
      made.forEach(ClusterRuntime::close);
      throw e;
    }
  }

  /** Begins to follow them. */
  void start() {
    all.forEach(side -> side.connection().follower().start());
  }

  /** The one that requests go to that nothing sends elsewhere. */
  ClusterRuntime defaultCluster() {
    return all.getFirst();
  }

  /** One of them by its name in the configuration; null for none. */
  @Nullable ClusterRuntime find(String name) {
    for (ClusterRuntime side : all) {
      if (side.name().equals(name)) {
        return side;
      }
    }
    return null;
  }

  /** Why requests could not be answered now; null while they could. */
  @Nullable String unavailableReason() {
    String why = null;
    for (ClusterRuntime side : all) {
      String missing = side.unavailableReason();
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
