package dev.weir.routing;

import dev.weir.config.policy.RoutingPolicy;
import dev.weir.model.Phase;
import dev.weir.model.ShardCopy;
import dev.weir.model.Work;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The selector of the policy in force, which can be changed while requests run: what was learned of
 * the nodes stays.
 */
public final class SwitchingSelector implements ReplicaSelector {
  private final NodeLoadTracker tracker;
  private final LongSupplier nanoTime;
  private final RandomGenerator random;
  private volatile InForce inForce;

  private record InForce(RoutingPolicy policy, ReplicaSelector selector) {}

  /**
   * Makes a selector by a policy.
   *
   * @param tracker what it knows of the nodes
   * @param nanoTime the tracker's clock
   * @param random safe on any thread
   */
  public SwitchingSelector(
      NodeLoadTracker tracker,
      RoutingPolicy policy,
      LongSupplier nanoTime,
      RandomGenerator random) {
    this.tracker = tracker;
    this.nanoTime = nanoTime;
    this.random = random;
    this.inForce = new InForce(policy, selector(policy));
  }

  /** Orders by another policy from now on. */
  public void use(RoutingPolicy policy) {
    tracker.use(policy);
    inForce = new InForce(policy, selector(policy));
  }

  /** The policy in force. */
  public RoutingPolicy policy() {
    return inForce.policy();
  }

  @Override
  public void order(ShardCopy[] copies, int count, Phase phase) {
    inForce.selector().order(copies, count, phase, 0);
  }

  @Override
  public void order(ShardCopy[] copies, int count, Phase phase, int costClass) {
    inForce.selector().order(copies, count, phase, costClass);
  }

  @Override
  public Weighed weigh(ShardCopy copy, Work work) {
    return inForce.selector().weigh(copy, work);
  }

  @Override
  public Explanation explain(List<ShardCopy> copies, Phase phase, int costClass) {
    return inForce.selector().explain(copies, phase, costClass);
  }

  @Override
  public List<ShardCopy> orderRest(List<ShardCopy> copies, Phase phase, int costClass) {
    return inForce.selector().orderRest(copies, phase, costClass);
  }

  @Override
  public int wouldYield(List<ShardCopy> preferred, Phase phase, int costClass) {
    return inForce.selector().wouldYield(preferred, phase, costClass);
  }

  @Override
  public int yielding(List<ShardCopy> preferred, Phase phase, int costClass) {
    return inForce.selector().yielding(preferred, phase, costClass);
  }

  /** By what requests are bound late; null while the policy binds none. */
  @Nullable RankedSelector binding() {
    InForce now = inForce;
    boolean binds =
        now.policy().policy() == RoutingPolicy.Choice.ADAPTIVE
            && now.policy().lateBinding().enabled();
    return binds && now.selector() instanceof RankedSelector ranked ? ranked : null;
  }

  /** By what requests are ordered; null where no score does it. */
  @Nullable RankedSelector ranked() {
    return inForce.selector() instanceof RankedSelector ranked ? ranked : null;
  }

  private ReplicaSelector selector(RoutingPolicy policy) {
    return switch (policy.policy()) {
      case ADAPTIVE -> ranked(policy, new AdaptiveRank(tracker, policy));
      case C3 -> ranked(policy, new C3Rank(tracker, policy));
      case LEAST_OUTSTANDING -> ranked(policy, new OutstandingRank(policy));
      case STOCK -> new StockSelector(tracker, random);
      case ROUND_ROBIN -> new RoundRobinSelector(random);
    };
  }

  private ReplicaSelector ranked(RoutingPolicy policy, Rank rank) {
    return new RankedSelector(tracker, policy, rank, nanoTime, random);
  }
}
