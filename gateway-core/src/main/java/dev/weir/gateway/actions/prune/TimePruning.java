package dev.weir.gateway.actions.prune;

import dev.weir.config.policy.TimePruningPolicy;
import dev.weir.gateway.actions.explain.RequestChoices;
import dev.weir.gateway.cluster.ClusterView;
import dev.weir.gateway.cluster.ClusterViews;
import dev.weir.gateway.cluster.bounds.KnownBounds;
import dev.weir.gateway.cluster.bounds.LearnedBounds;
import dev.weir.gateway.cluster.bounds.NodePositions;
import dev.weir.gateway.coordinate.LeanPlan;
import dev.weir.gateway.plan.SearchPlan;
import dev.weir.gateway.reduce.SearchScope.ShardScope;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.pruning.MandatoryQueryConstraintExtractor;
import org.opensearch.action.search.pruning.QueryConstraint;

/**
 * Leaves those shards out of a search whose indices have nothing from the time that it asks for:
 * where the query has a range on a time field in a place that every hit must match, what was
 * learned of an index lies outside it, and the nodes confirm that the index is as it was ({@link
 * LearnedBounds} has the proof). One shard is asked at least, to say what an empty answer looks
 * like. The policy can be changed on any thread.
 */
public final class TimePruning {
  private final LearnedBounds learned;
  private final NodePositions positions;
  private final ClusterViews views;
  private final PruningCounts counts = new PruningCounts();
  private volatile Policy policy;

  private record Policy(boolean enabled, Set<String> fields) {
    static Policy of(TimePruningPolicy policy) {
      return new Policy(policy.enabled(), Set.copyOf(policy.timeFields()));
    }
  }

  /**
   * Makes one.
   *
   * @param views have the view refreshed that nodes are ahead of
   */
  public TimePruning(
      TimePruningPolicy policy,
      LearnedBounds learned,
      NodePositions positions,
      ClusterViews views) {
    this.policy = Policy.of(policy);
    this.learned = learned;
    this.positions = positions;
    this.views = views;
  }

  /** Goes by another policy from now on. */
  public void use(TimePruningPolicy changed) {
    policy = Policy.of(changed);
  }

  /** What was done. */
  public PruningCounts counts() {
    return counts;
  }

  /**
   * A plan with fewer shards; null where all must be asked.
   *
   * @param shards as the plan counts them
   * @param notes where is kept what was left out; null for nowhere
   */
  public @Nullable LeanPlan lean(
      ClusterView view,
      SearchRequest request,
      List<ShardScope> shards,
      SearchPlan plan,
      @Nullable RequestChoices notes) {
    Policy now = policy;
    KnownBounds known = learned.under(view.state());
    if (!now.enabled() || known.byName().isEmpty() || !PrunableSearches.prunable(request)) {
      return null;
    }
    List<QueryConstraint> wanted =
        new MandatoryQueryConstraintExtractor()
            .extractMandatoryConstraints(request.source(), now.fields());
    if (wanted.isEmpty()) {
      return null;
    }
    Pruned pruned =
        Pruned.of(
            known, new WantedTimes(wanted, request::getOrCreateAbsoluteStartMillis), shards, plan);
    if (pruned.skipped() == 0) {
      return null;
    }
    Set<String> asked = known.withManager(pruned.nodeIds());
    if (asked == null || asked.size() > pruned.skipped()) {
      counts.tooFew();
      return null;
    }
    return new LeanPlan(
        pruned.plan(),
        new PruningProof(
            pruned, asked, view, new PruningProof.World(positions, views, counts), notes));
  }
}
