package dev.weir.routing;

import dev.weir.config.policy.RoutingPolicy;
import dev.weir.model.Phase;
import dev.weir.model.PolicyCompiler;
import dev.weir.model.PolicySections;
import dev.weir.model.RequestPolicy;
import dev.weir.model.ShardCopy;
import dev.weir.model.Work;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The selectors of requests' policies, and, where nobody asks for a request, that of the policy of
 * the whole gateway that is in force. They can be changed while requests run: what was learned of
 * the nodes stays.
 */
public final class SwitchingSelector implements ReplicaSelector {
  private final NodeLoadTracker tracker;
  private final LongSupplier nanoTime;
  private final RandomGenerator random;
  private final RequestPolicy.Section<Routed> section;
  private volatile Routed inForce;

  /** Makes a selector by one policy. */
  public SwitchingSelector(
      NodeLoadTracker tracker,
      RoutingPolicy policy,
      LongSupplier nanoTime,
      RandomGenerator random) {
    this(tracker, new PolicyCompiler<>(policy), nanoTime, random);
  }

  /**
   * Makes a selector by what policies say of it.
   *
   * @param tracker what it knows of the nodes
   * @param nanoTime the tracker's clock
   * @param random safe on any thread
   */
  public SwitchingSelector(
      NodeLoadTracker tracker,
      PolicySections<RoutingPolicy> sections,
      LongSupplier nanoTime,
      RandomGenerator random) {
    this.tracker = tracker;
    this.nanoTime = nanoTime;
    this.random = random;
    this.section = sections.add((name, says, before) -> ready(says, before));
    this.inForce = RequestPolicy.NONE.of(section);
  }

  private Routed ready(RoutingPolicy says, @Nullable Routed before) {
    return before != null && before.policy().equals(says)
        ? before
        : new Routed(says, selector(says));
  }

  /** Orders by another policy from now on where nobody asks for a request. */
  public void use(RequestPolicy standard) {
    use(standard.of(section));
  }

  /** The same with a policy that is not ready. */
  public void use(RoutingPolicy standard) {
    use(ready(standard, inForce));
  }

  private void use(Routed standard) {
    tracker.use(standard.policy());
    inForce = standard;
  }

  @Override
  public ReplicaSelector by(RequestPolicy policy) {
    return policy.of(section).selector();
  }

  /** By what requests of a policy are ordered and bound. */
  Routed routed(RequestPolicy policy) {
    return policy.of(section);
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
