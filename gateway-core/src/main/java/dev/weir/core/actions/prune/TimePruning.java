package dev.weir.core.actions.prune;

import dev.weir.config.policy.TimePruningPolicy;
import dev.weir.core.actions.explain.RequestChoices;
import dev.weir.cluster.ClusterView;
import dev.weir.cluster.ClusterViews;
import dev.weir.cluster.bounds.KnownBounds;
import dev.weir.cluster.bounds.LearnedBounds;
import dev.weir.cluster.bounds.NodePositions;
import dev.weir.core.coordinate.LeanPlan;
import dev.weir.core.plan.SearchPlan;
import dev.weir.core.reduce.SearchScope.ShardScope;
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
   * What is known for one search.
   *
   * @param known bounds under its view
   * @param wanted the times that it asks for
   */
  public record Look(KnownBounds known, WantedTimes wanted) {
    /** Whether most shards are likely to have nothing, so that it pays to ask whether they do. */
    public boolean likelyMost(List<ShardScope> shards) {
      return Pruned.likelyMost(known, wanted, shards);
    }
  }

  /** Looks what is known for a search; null where its shards must all be asked. */
  public @Nullable Look look(ClusterView view, SearchRequest request) {
    Policy now = policy;
    KnownBounds known = learned.under(view.state());
    boolean any = !known.byName().isEmpty() || !known.guesses().isEmpty();
    if (!now.enabled() || !any || !PrunableSearches.prunable(request)) {
      return null;
    }
    List<QueryConstraint> wanted =
        new MandatoryQueryConstraintExtractor()
            .extractMandatoryConstraints(request.source(), now.fields());
    return wanted.isEmpty()
        ? null
        : new Look(known, new WantedTimes(wanted, request::getOrCreateAbsoluteStartMillis));
  }

  /**
   * A plan with fewer shards; null where all must be asked.
   *
   * @param shards as the plan counts them
   * @param notes where is kept what was left out; null for nowhere
   */
  public @Nullable LeanPlan lean(
      ClusterView view,
      Look look,
      List<ShardScope> shards,
      SearchPlan plan,
      @Nullable RequestChoices notes) {
    Pruned pruned = Pruned.of(look.known(), look.wanted(), shards, plan);
    if (pruned.skipped() == 0) {
      return null;
    }
    Set<String> asked = look.known().withManager(pruned.nodeIds());
    if (asked == null || asked.size() >= pruned.skipped()) {
      counts.tooFew();
      return null;
    }
    return new LeanPlan(
        pruned.plan(),
        new PruningProof(
            pruned, asked, view, new PruningProof.World(positions, views, counts), notes));
  }
}
