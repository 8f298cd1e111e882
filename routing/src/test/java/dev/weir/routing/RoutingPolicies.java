package dev.weir.routing;

import dev.weir.config.policy.NodeAttribute;
import dev.weir.config.policy.RoutingPolicy;
import java.time.Duration;
import java.util.List;

/** Routing policies for tests: the defaults of the configuration, without jitter. */
public final class RoutingPolicies {
  /** The configuration's defaults. */
  public static final RoutingPolicy.Health HEALTH =
      new RoutingPolicy.Health(
          20,
          Duration.ofSeconds(2),
          3,
          Duration.ofMillis(500),
          Duration.ofSeconds(16),
          32,
          new RoutingPolicy.Exploration(Duration.ofMillis(500), 0.02));

  /** The adaptive policy without jitter. */
  public static final RoutingPolicy PLAIN = of(RoutingPolicy.Algorithm.ADAPTIVE, 0);

  private RoutingPolicies() {}

  /** The configuration's defaults with these changes. */
  public static RoutingPolicy of(RoutingPolicy.Algorithm choice, double jitter) {
    return of(choice, jitter, List.of(), 1);
  }

  /** The adaptive policy without jitter, with other fallback settings. */
  public static RoutingPolicy yielding(boolean yields, double overload) {
    return new RoutingPolicy(
        RoutingPolicy.Algorithm.ADAPTIVE,
        List.of(),
        1,
        0,
        PLAIN.adaptive(),
        PLAIN.c3(),
        HEALTH,
        PLAIN.hedging(),
        PLAIN.retries(),
        new RoutingPolicy.Locality(yields, overload),
        PLAIN.explain());
  }

  /** A policy that prefers near nodes. */
  public static RoutingPolicy of(
      RoutingPolicy.Algorithm choice,
      double jitter,
      List<NodeAttribute> attributes,
      double awayFactor) {
    return new RoutingPolicy(
        choice,
        attributes,
        awayFactor,
        jitter,
        new RoutingPolicy.Adaptive(13, 4),
        new RoutingPolicy.C3(1, 0.3, 3, Duration.ofSeconds(2)),
        HEALTH);
  }
}
