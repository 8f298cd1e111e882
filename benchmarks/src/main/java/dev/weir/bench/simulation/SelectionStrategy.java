package dev.weir.bench.simulation;

import dev.weir.config.policy.RoutingPolicy;
import dev.weir.config.policy.RoutingPolicy.Algorithm;
import dev.weir.routing.HedgePlanner;
import dev.weir.routing.LateBindingQueue;
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

/** The ways to choose that are compared. */
enum SelectionStrategy {
  ROUND_ROBIN(Algorithm.ROUND_ROBIN, false, false),
  LEAST_OUTSTANDING(Algorithm.LEAST_OUTSTANDING, false, false),
  STOCK(Algorithm.STOCK, false, false),
  C3(Algorithm.C3, false, false),
  ADAPTIVE(Algorithm.ADAPTIVE, false, false),
  ADAPTIVE_HEDGED(Algorithm.ADAPTIVE, true, false),
  ADAPTIVE_FULL(Algorithm.ADAPTIVE, true, true),
  ADAPTIVE_CACHE_AFFINITY(Algorithm.ADAPTIVE, true, false),
  ORACLE(Algorithm.ROUND_ROBIN, false, false);

  private final Algorithm choice;
  private final boolean hedgingEnabled;
  private final boolean lateBindingEnabled;

  SelectionStrategy(Algorithm choice, boolean hedges, boolean bindsLate) {
    this.choice = choice;
    this.hedgingEnabled = hedges;
    this.lateBindingEnabled = bindsLate;
  }

  /** What a gateway chooses with. */
  record Components(
      NodeLoadTracker tracker,
      ReplicaSelector selector,
      @Nullable HedgePlanner hedging,
      @Nullable LateBindingQueue<SimulatedShardRequest> lateBinding) {}

  /** Its name in tables. */
  String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Whether it does anything of its own there. */
  boolean isApplicable(SimulationScenario scenario) {
    return this != ADAPTIVE_CACHE_AFFINITY || scenario.load().cache().entries() > 0;
  }

  Components create(SimulatedGateway gate, Simulation world, int index) {
    RandomGenerator random = new SplittableRandom(world.seed * 7919 + index * 104729L + 13);
    LongSupplier clock = world.engine::nowNanos;
    RoutingPolicy policy = policy(world.scenario.cluster());
    NodeLoadTracker tracker = new NodeLoadTracker(policy, clock, random);
    PolicyAwareSelector switching = new PolicyAwareSelector(tracker, policy, clock, random);
    ReplicaSelector selector =
        switch (this) {
          case ORACLE -> new OracleSelector(world, gate);
          case ADAPTIVE_CACHE_AFFINITY -> new CacheAffinitySelector(switching, gate);
          default -> switching;
        };
    return new Components(
        tracker,
        selector,
        hedgingEnabled
            ? new HedgePlanner(tracker, policy, clock, HedgeSettings.of(policy.hedging()))
            : null,
        lateBindingEnabled
            ? new LateBindingQueue<>(tracker, switching, clock, gate::onBound)
            : null);
  }

  /** The configuration's defaults; k as nodes tell it, and n as C3 has to be told. */
  private RoutingPolicy policy(SimulationScenario.Cluster cluster) {
    return new RoutingPolicy(
        choice,
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
