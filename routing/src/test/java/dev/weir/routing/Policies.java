package dev.weir.routing;

import dev.weir.config.policy.RoutingPolicy;
import java.time.Duration;
import java.util.List;

/** Routing policies for tests: the defaults of the configuration, without jitter. */
final class Policies {
  static final RoutingPolicy.Health HEALTH =
      new RoutingPolicy.Health(
          20, Duration.ofSeconds(2), 3, Duration.ofMillis(500), Duration.ofSeconds(16), 32);

  static final RoutingPolicy PLAIN = withJitter(0);

  private Policies() {}

  static RoutingPolicy withJitter(double jitter) {
    RoutingPolicy.C3 c3 =
        new RoutingPolicy.C3(1, 0.3, 3, jitter, Duration.ofSeconds(10), Duration.ofSeconds(2));
    return new RoutingPolicy(RoutingPolicy.Choice.C3, List.of(), c3, HEALTH);
  }
}
