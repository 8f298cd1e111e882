package dev.weir.bench.simulation;

import dev.weir.config.policy.RoutingPolicy;
import dev.weir.config.policy.RoutingPolicy.Choice;
import dev.weir.routing.Hedging;
import dev.weir.routing.LateBinding;
import dev.weir.routing.NodeLoadTracker;
import dev.weir.routing.ReplicaSelector;
import dev.weir.routing.SwitchingSelector;
import dev.weir.routing.tail.HedgeTerms;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The ways to choose that are compared. */
enum Way {
  ROUND_ROBIN(Choice.ROUND_ROBIN, false, false),
  LEAST_OUTSTANDING(Choice.LEAST_OUTSTANDING, false, false),
  STOCK(Choice.STOCK, false, false),
  C3(Choice.C3, false, false),
  ADAPTIVE(Choice.ADAPTIVE, false, false),
  ADAPTIVE_HEDGED(Choice.ADAPTIVE, true, false),
  ADAPTIVE_FULL(Choice.ADAPTIVE, true, true),
  ADAPTIVE_HOME(Choice.ADAPTIVE, true, false),
  ORACLE(Choice.ROUND_ROBIN, false, false);

  private final Choice choice;
  private final boolean hedges;
  private final boolean bindsLate;

  Way(Choice choice, boolean hedges, boolean bindsLate) {
    this.choice = choice;
    this.hedges = hedges;
    this.bindsLate = bindsLate;
  }

  /** What a gateway chooses with. */
  record Parts(
      NodeLoadTracker tracker,
      ReplicaSelector selector,
      @Nullable Hedging hedging,
      @Nullable LateBinding<ShardRequest> late) {}

  /** Its name in tables. */
  String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Whether it does anything of its own there. */
  boolean fits(Scenario scenario) {
    return this != ADAPTIVE_HOME || scenario.load().cache().entries() > 0;
  }

  Parts make(Gate gate, World world, int index) {
    RandomGenerator random = new SplittableRandom(world.seed * 7919 + index * 104729L + 13);
    LongSupplier clock = world.engine::now;
    RoutingPolicy policy = policy(world.scenario.cluster());
    NodeLoadTracker tracker = new NodeLoadTracker(policy, clock, random);
    SwitchingSelector switching = new SwitchingSelector(tracker, policy, clock, random);
    ReplicaSelector selector =
        switch (this) {
          case ORACLE -> new Oracle(world, gate);
          case ADAPTIVE_HOME -> new HomeFirst(switching, gate);
          default -> switching;
        };
    return new Parts(
        tracker,
        selector,
        hedges ? new Hedging(tracker, policy, clock, HedgeTerms.of(policy.hedging())) : null,
        bindsLate ? new LateBinding<>(tracker, switching, clock, gate::bound) : null);
  }

  /** The configuration's defaults; k as nodes tell it, and n as C3 has to be told. */
  private RoutingPolicy policy(Scenario.Cluster cluster) {
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
