package dev.weir.gateway;

import dev.weir.config.policy.GatewayPolicy;
import dev.weir.rest.GatewayAddresses;
import dev.weir.protocol.registry.OpenSearchRegistries;
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
record Sides(List<Side> all) implements AutoCloseable {
  Sides {
    all = List.copyOf(all);
  }

  /**
   * Makes them; they do nothing until they are started.
   *
   * @param policy the one in force now
   * @param registries those of the first; each other one has its own
   * @throws IOException when a file that the policy names can't be used
   */
  static Sides of(Supplier<GatewayPolicy> policy, Commons commons, OpenSearchRegistries registries)
      throws IOException {
    @Nullable GatewayAddresses gateways = AdvertisedGateways.of(policy.get().http());
    List<Side> made = new ArrayList<>();
    try {
      for (String name : policy.get().clusters().keySet()) {
        OpenSearchRegistries own = made.isEmpty() ? registries : OpenSearchRegistries.create();
        made.add(Side.of(name, policy, commons, own, gateways));
      }
      return new Sides(made);
    } catch (IOException | RuntimeException e) {
      made.forEach(Side::close);
      throw e;
    }
  }

  /** Begins to follow them. */
  void start() {
    all.forEach(side -> side.backend().follower().start());
  }

  /** The one that requests go to that nothing sends elsewhere. */
  Side first() {
    return all.getFirst();
  }

  /** One of them by its name in the configuration; null for none. */
  @Nullable Side named(String name) {
    for (Side side : all) {
      if (side.name().equals(name)) {
        return side;
      }
    }
    return null;
  }

  /** Why requests could not be answered now; null while they could. */
  @Nullable String missing() {
    String why = null;
    for (Side side : all) {
      String missing = side.missing();
      if (missing == null) {
        return null;
      }
      why = why == null ? missing : why;
    }
    return why;
  }

  @Override
  public void close() {
    all.forEach(Side::close);
  }
}
