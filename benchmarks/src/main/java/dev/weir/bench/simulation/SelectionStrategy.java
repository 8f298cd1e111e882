package dev.weir.bench.simulation;

import dev.weir.config.policy.RoutingPolicy;
import dev.weir.config.policy.RoutingPolicy.Algorithm;
import dev.weir.routing.HedgePlanner;
import dev.weir.routing.NodeLoadRecorder;
import dev.weir.routing.NodeLoadTracker;
import dev.weir.routing.PolicyAwareSelector;
import dev.weir.routing.ReplicaSelector;
import dev.weir.routing.tail.HedgeSettings;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The compared ways to select a copy. */
enum SelectionStrategy {
  ROUND_ROBIN(Algorithm.ROUND_ROBIN, false),
  LEAST_OUTSTANDING(Algorithm.LEAST_OUTSTANDING, false),
  STOCK(Algorithm.ROUND_ROBIN, false),
  C3(Algorithm.C3, false),
  ADAPTIVE(Algorithm.ADAPTIVE, false),
  ADAPTIVE_HEDGED(Algorithm.ADAPTIVE, true),
  ADAPTIVE_CACHE_AFFINITY(Algorithm.ADAPTIVE, true),
  ORACLE(Algorithm.ROUND_ROBIN, false);

  private final Algorithm algorithm;
  private final boolean hedgingEnabled;

  SelectionStrategy(Algorithm algorithm, boolean hedgingEnabled) {
    this.algorithm = algorithm;
    this.hedgingEnabled = hedgingEnabled;
  }

  /**
   * The components with which a gateway selects.
   *
   * @param recorder records each request that is sent
   */
  record Components(
      NodeLoadTracker tracker,
      NodeLoadRecorder recorder,
      ReplicaSelector selector,
      @Nullable HedgePlanner hedging) {}

  /** Returns the name in tables. */
  String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns whether the strategy differs from the others in this scenario. */
  boolean isApplicable(SimulationScenario scenario) {
    return this != ADAPTIVE_CACHE_AFFINITY || scenario.load().cache().entries() > 0;
  }

  /**
   * Creates the components of one gateway.
   *
   * @param shape the cluster's numbers of threads and gateways
   * @param seed of this gateway's random values
   */
  Components create(
      SimulatedCluster cluster,
      SimulationScenario.Cluster shape,
      CurrentRequest current,
      long seed) {
    RandomGenerator random = new SplittableRandom(seed);
    LongSupplier clock = cluster.engine::nowNanos;
    RoutingPolicy policy = policy(shape);
    NodeLoadTracker tracker = new NodeLoadTracker(policy, clock, random);
    PolicyAwareSelector switching = new PolicyAwareSelector(tracker, policy, clock, random);
    OpenSearchRankSelector stock = new OpenSearchRankSelector(switching, tracker, clock);
    ReplicaSelector selector =
        switch (this) {
          case ORACLE -> new OracleSelector(cluster, current);
          case ADAPTIVE_CACHE_AFFINITY -> new CacheAffinitySelector(switching, current);
          case STOCK -> stock;
          default -> switching;
        };
    return new Components(
        tracker,
        this == STOCK ? stock : tracker,
        selector,
        hedgingEnabled
            ? new HedgePlanner(tracker, policy, clock, HedgeSettings.of(policy.hedging()))
            : null);
  }

  /**
   * Returns the configuration's defaults, with the thread count that nodes report and the gateway
   * count that C3 needs.
   */
  private RoutingPolicy policy(SimulationScenario.Cluster cluster) {
    return new RoutingPolicy(
        algorithm,
        List.of(),
        1,
        0.05,
        new RoutingPolicy.Adaptive(cluster.threads(), 4),
        new RoutingPolicy.C3(cluster.gateways(), 0.3, 3, Duration.ofSeconds(2)),
        new RoutingPolicy.Health(
            20,
            Duration.ofSeconds(2),
            3,
            Duration.ofMillis(500),
            Duration.ofSeconds(16),
            32,
            new RoutingPolicy.Exploration(Duration.ofMillis(500), 0.02)));
  }
}
