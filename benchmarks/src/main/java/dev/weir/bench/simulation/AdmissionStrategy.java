package dev.weir.bench.simulation;

import com.netflix.concurrency.limits.Limit;
import com.netflix.concurrency.limits.limit.AIMDLimit;
import com.netflix.concurrency.limits.limit.Gradient2Limit;
import com.netflix.concurrency.limits.limit.VegasLimit;
import dev.weir.config.policy.AutoDuration;
import dev.weir.config.policy.QueuePolicy;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The compared ways to admit requests. */
enum AdmissionStrategy implements GatewayDesign {
  /** Only the queue of each node limits the load, as in OpenSearch without further settings. */
  NODE_QUEUE(SelectionStrategy.STOCK),
  VEGAS(SelectionStrategy.STOCK),
  GRADIENT2(SelectionStrategy.STOCK),
  AIMD(SelectionStrategy.STOCK),
  VEGAS_BY_NODE(SelectionStrategy.ADAPTIVE),
  GRADIENT2_BY_NODE(SelectionStrategy.ADAPTIVE),
  AIMD_BY_NODE(SelectionStrategy.ADAPTIVE),
  LITTLES_LAW(SelectionStrategy.ADAPTIVE_HEDGED),
  DEFAULT(SelectionStrategy.ADAPTIVE_HEDGED);

  /** The target response time of {@link #LITTLES_LAW}. */
  static final Duration TARGET = Duration.ofMillis(500);

  /** OpenSearch's defaults (3.9, {@code ConcurrencyLimitSettings}). */
  private static final int INITIAL_LIMIT = 20;

  private static final int MAX_LIMIT = 200;
  private static final double BACKOFF_RATIO = 0.9;
  private static final double RTT_TOLERANCE = 1.5;

  private final SelectionStrategy selection;

  AdmissionStrategy(SelectionStrategy selection) {
    this.selection = selection;
  }

  @Override
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  @Override
  public Components create(
      SimulatedCluster cluster, SimulationScenario scenario, CurrentRequest current, long seed) {
    return selection.create(cluster, scenario, current, seed).withAdmission(admission(cluster));
  }

  private @Nullable SimulatedAdmission admission(SimulatedCluster cluster) {
    return switch (this) {
      case NODE_QUEUE -> null;
      case VEGAS -> new LimitedAdmission(cluster, false, AdmissionStrategy::vegas);
      case GRADIENT2 -> new LimitedAdmission(cluster, false, AdmissionStrategy::gradient2);
      case AIMD -> new LimitedAdmission(cluster, false, AdmissionStrategy::aimd);
      case VEGAS_BY_NODE -> new LimitedAdmission(cluster, true, AdmissionStrategy::vegas);
      case GRADIENT2_BY_NODE -> new LimitedAdmission(cluster, true, AdmissionStrategy::gradient2);
      case AIMD_BY_NODE -> new LimitedAdmission(cluster, true, AdmissionStrategy::aimd);
      case LITTLES_LAW -> new QueuedAdmission(cluster, littlesLaw(TARGET));
      case DEFAULT -> new QueuedAdmission(cluster, QueuePolicy.defaults());
    };
  }

  /** Returns the gateway's defaults with a target response time. */
  static QueuePolicy littlesLaw(Duration target) {
    QueuePolicy usual = QueuePolicy.defaults();
    return new QueuePolicy(
        true,
        usual.maxWait(),
        usual.maxWaiting(),
        new AutoDuration(target),
        usual.window(),
        usual.minInFlightPerNode(),
        usual.maxInFlightPerNode());
  }

  private static Limit vegas() {
    return VegasLimit.newBuilder().initialLimit(INITIAL_LIMIT).maxConcurrency(MAX_LIMIT).build();
  }

  private static Limit gradient2() {
    return Gradient2Limit.newBuilder()
        .initialLimit(INITIAL_LIMIT)
        .maxConcurrency(MAX_LIMIT)
        .rttTolerance(RTT_TOLERANCE)
        .build();
  }

  private static Limit aimd() {
    return AIMDLimit.newBuilder()
        .initialLimit(INITIAL_LIMIT)
        .maxLimit(MAX_LIMIT)
        .backoffRatio(BACKOFF_RATIO)
        .build();
  }
}
