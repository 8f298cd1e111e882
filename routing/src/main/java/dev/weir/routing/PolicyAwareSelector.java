package dev.weir.routing;

import dev.weir.config.policy.RoutingPolicy;
import dev.weir.model.NodeCallType;
import dev.weir.model.Phase;
import dev.weir.model.PolicyCompiler;
import dev.weir.model.PolicySectionRegistry;
import dev.weir.model.RequestPolicy;
import dev.weir.model.ShardCopy;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Selects copies by each request's policy, or, outside of a request, by the gateway's default
 * policy. Policies can change while requests run; learned state of the nodes stays.
 */
public final class PolicyAwareSelector implements ReplicaSelector {
  private final NodeLoadTracker tracker;
  private final LongSupplier nanoTime;
  private final RandomGenerator random;
  private final RequestPolicy.Section<CompiledRoutingPolicy> section;
  private volatile CompiledRoutingPolicy active;

  /** Creates a selector with one policy. */
  public PolicyAwareSelector(
      NodeLoadTracker tracker,
      RoutingPolicy policy,
      LongSupplier nanoTime,
      RandomGenerator random) {
    this(tracker, new PolicyCompiler<>(policy), nanoTime, random);
  }

  /**
   * Creates a selector with the routing sections of policies.
   *
   * @param tracker the learned state of the nodes
   * @param nanoTime the tracker's clock
   * @param random safe on any thread
   */
  public PolicyAwareSelector(
      NodeLoadTracker tracker,
      PolicySectionRegistry<RoutingPolicy> sections,
      LongSupplier nanoTime,
      RandomGenerator random) {
    this.tracker = tracker;
    this.nanoTime = nanoTime;
    this.random = random;
    this.section = sections.register((name, says, before) -> compile(says, before));
    this.active = RequestPolicy.NONE.get(section);
  }

  private CompiledRoutingPolicy compile(
      RoutingPolicy says, @Nullable CompiledRoutingPolicy before) {
    return before != null && before.policy().equals(says)
        ? before
        : new CompiledRoutingPolicy(says, selector(says));
  }

  /** Changes the policy that applies outside of a request. */
  public void setDefaultPolicy(RequestPolicy standard) {
    setDefaultPolicy(standard.get(section));
  }

  /** Changes the policy that applies outside of a request, and compiles it first. */
  public void setDefaultPolicy(RoutingPolicy standard) {
    setDefaultPolicy(compile(standard, active));
  }

  private void setDefaultPolicy(CompiledRoutingPolicy standard) {
    tracker.setPolicy(standard.policy());
    active = standard;
  }

  @Override
  public ReplicaSelector forPolicy(RequestPolicy policy) {
    return policy.get(section).selector();
  }

  /** Returns the policy that applies outside of a request. */
  public RoutingPolicy policy() {
    return active.policy();
  }

  @Override
  public void order(ShardCopy[] copies, int count, Phase phase) {
    active.selector().order(copies, count, phase, 0);
  }

  @Override
  public void order(ShardCopy[] copies, int count, Phase phase, int costClass) {
    active.selector().order(copies, count, phase, costClass);
  }

  @Override
  public RankedCopies rank(List<ShardCopy> copies, Phase phase, int costClass) {
    return active.selector().rank(copies, phase, costClass);
  }

  @Override
  public ScoredCopy scoreCopy(ShardCopy copy, NodeCallType work) {
    return active.selector().scoreCopy(copy, work);
  }

  @Override
  public RankingExplanation explain(List<ShardCopy> copies, Phase phase, int costClass) {
    return active.selector().explain(copies, phase, costClass);
  }

  @Override
  public List<ShardCopy> orderFallbacks(List<ShardCopy> copies, Phase phase, int costClass) {
    return active.selector().orderFallbacks(copies, phase, costClass);
  }

  @Override
  public ShardCopy selectForSend(
      List<ShardCopy> copies, Phase phase, int costClass, boolean isFreshlyRanked) {
    return active.selector().selectForSend(copies, phase, costClass, isFreshlyRanked);
  }

  @Override
  public boolean isTrialDue(ShardCopy copy, Phase phase) {
    return active.selector().isTrialDue(copy, phase);
  }

  @Override
  public boolean isDrained(String nodeId) {
    return active.selector().isDrained(nodeId);
  }

  @Override
  public double weight(String nodeId) {
    return active.selector().weight(nodeId);
  }

  @Override
  public boolean canAnswer(ShardCopy copy, Phase phase) {
    return active.selector().canAnswer(copy, phase);
  }

  @Override
  public boolean mayWaitFor(ShardCopy copy, Phase phase) {
    return active.selector().mayWaitFor(copy, phase);
  }

  @Override
  public int peekPreferred(List<ShardCopy> preferred, Phase phase, int costClass) {
    return active.selector().peekPreferred(preferred, phase, costClass);
  }

  @Override
  public int choosePreferred(List<ShardCopy> preferred, Phase phase, int costClass) {
    return active.selector().choosePreferred(preferred, phase, costClass);
  }

  private ReplicaSelector selector(RoutingPolicy policy) {
    return new WeightedSelector(unweighted(policy), tracker.weights());
  }

  private ReplicaSelector unweighted(RoutingPolicy policy) {
    return switch (policy.algorithm()) {
      case ADAPTIVE -> ranked(policy, new AdaptiveScorer(tracker, policy));
      case C3 -> ranked(policy, new C3Scorer(tracker, policy));
      case LEAST_OUTSTANDING -> ranked(policy, new OutstandingScorer(policy));
      case ROUND_ROBIN -> new RoundRobinSelector(random);
    };
  }

  private ReplicaSelector ranked(RoutingPolicy policy, NodeScorer rank) {
    return new ScoringSelector(tracker, policy, rank, nanoTime, random);
  }
}
