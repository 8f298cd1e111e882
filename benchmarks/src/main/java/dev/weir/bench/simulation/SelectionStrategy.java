package dev.weir.bench.simulation;

import dev.weir.config.policy.QueuePolicy;
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

/** The compared ways to select a copy. */
enum SelectionStrategy implements GatewayDesign {
  ROUND_ROBIN(Algorithm.ROUND_ROBIN),
  LEAST_OUTSTANDING(Algorithm.LEAST_OUTSTANDING),
  STOCK(Algorithm.ROUND_ROBIN),
  ES95(Algorithm.ROUND_ROBIN),
  C3(Algorithm.C3),
  PREQUAL(Algorithm.ROUND_ROBIN),
  ADAPTIVE(Algorithm.ADAPTIVE),
  ADAPTIVE_SINGLE_R(Algorithm.ADAPTIVE),
  ADAPTIVE_HEDGED(Algorithm.ADAPTIVE),
  ADAPTIVE_CACHE_AFFINITY(Algorithm.ADAPTIVE),
  DEFAULT(Algorithm.ADAPTIVE),
  REPORT_ORACLE(Algorithm.ROUND_ROBIN),
  LOAD_ORACLE(Algorithm.ROUND_ROBIN),
  ORACLE(Algorithm.ROUND_ROBIN);

  private final Algorithm algorithm;

  SelectionStrategy(Algorithm algorithm) {
    this.algorithm = algorithm;
  }

  /** Returns whether the strategy has more knowledge than a gateway can have. */
  boolean isOracle() {
    return this == ORACLE || this == LOAD_ORACLE || this == REPORT_ORACLE;
  }

  @Override
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns whether the strategy differs from the others in this scenario. */
  boolean isApplicable(SimulationScenario scenario) {
    return this != ADAPTIVE_CACHE_AFFINITY || scenario.load().cache().entries() > 0;
  }

  @Override
  public Components create(
      SimulatedCluster cluster, SimulationScenario scenario, CurrentRequest current, long seed) {
    RandomGenerator random = new SplittableRandom(seed);
    LongSupplier clock = cluster.engine::nowNanos;
    RoutingPolicy policy = policy(scenario.cluster());
    NodeLoadTracker tracker = new NodeLoadTracker(policy, clock, random);
    PolicyAwareSelector switching = new PolicyAwareSelector(tracker, policy, clock, random);
    OpenSearchNodeRank.Formula formula =
        this == ES95
            ? OpenSearchNodeRank.Formula.ELASTICSEARCH_9_5
            : OpenSearchNodeRank.Formula.OPENSEARCH_3_8;
    OpenSearchRankSelector ranked = new OpenSearchRankSelector(formula, switching, tracker, clock);
    ReplicaSelector selector =
        switch (this) {
          case ORACLE -> new OracleSelector(cluster, current, null);
          case LOAD_ORACLE -> new OracleSelector(cluster, current, scenario.load().costs());
          case REPORT_ORACLE ->
              new ReportOracleSelector(cluster, current, scenario.load().costs(), tracker);
          case ADAPTIVE_CACHE_AFFINITY -> new CacheAffinitySelector(switching, current);
          case PREQUAL -> new PrequalSelector(cluster, random);
          case STOCK, ES95 -> ranked;
          default -> switching;
        };
    SimulatedHedging hedging =
        switch (this) {
          case ADAPTIVE_HEDGED, ADAPTIVE_CACHE_AFFINITY, DEFAULT ->
              new SimulatedHedging.Planned(
                  new HedgePlanner(tracker, policy, clock, HedgeSettings.of(policy.hedging())));
          case ADAPTIVE_SINGLE_R ->
              new SingleReissue(policy.hedging().budgetRatio(), clock, random);
          default -> null;
        };
    return new Components(
        tracker,
        selector instanceof NodeLoadRecorder recorder ? recorder : tracker,
        selector,
        hedging,
        this == DEFAULT ? new QueuedAdmission(cluster, QueuePolicy.defaults()) : null);
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
