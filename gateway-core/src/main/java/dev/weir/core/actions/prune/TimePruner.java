package dev.weir.core.actions.prune;

import dev.weir.cluster.ClusterView;
import dev.weir.cluster.ClusterViewSource;
import dev.weir.cluster.bounds.BoundsRegistry;
import dev.weir.cluster.bounds.KnownBounds;
import dev.weir.cluster.bounds.NodePositionChecker;
import dev.weir.config.policy.TimePruningPolicy;
import dev.weir.core.actions.explain.RequestRoutingDecisions;
import dev.weir.core.coordinate.PrunedSearchPlan;
import dev.weir.core.plan.SearchPlan;
import dev.weir.core.reduce.round.SearchScope.ShardScope;
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
 * BoundsRegistry} has the proof). One shard is asked at least, to say what an empty answer looks
 * like. The policy can be changed on any thread.
 */
public final class TimePruner {
  private final BoundsRegistry learnedBounds;
  private final NodePositionChecker positions;
  private final ClusterViewSource views;
  private final PruningCounts counts = new PruningCounts();
  private volatile PruningSettings policy;

  private record PruningSettings(boolean enabled, Set<String> fields) {
    static PruningSettings of(TimePruningPolicy policy) {
      return new PruningSettings(policy.isEnabled(), Set.copyOf(policy.effectiveDateFields()));
    }
  }

  /**
   * Creates one. *
   *
   * @param views have the view refreshed that nodes are ahead of
   */
  public TimePruner(
      TimePruningPolicy policy,
      BoundsRegistry learned,
      NodePositionChecker positions,
      ClusterViewSource views) {
    this.policy = PruningSettings.of(policy);
    this.learnedBounds = learned;
    this.positions = positions;
    this.views = views;
  }

  /** Goes by another policy from now on. */
  public void updatePolicy(TimePruningPolicy changed) {
    policy = PruningSettings.of(changed);
  }

  /** What was done. */
  public PruningCounts counts() {
    return counts;
  }

  /**
   * What is known for one search.
   *
   * @param knownBounds bounds under its view
   * @param timeConstraints the times that it asks for
   */
  public record SearchBounds(KnownBounds knownBounds, QueryTimeConstraints timeConstraints) {
    /** Whether most shards are likely to have nothing, so that it pays to ask whether they do. */
    public boolean isLikelyToPruneMost(List<ShardScope> shards) {
      return PruningResult.isLikelyToPruneMost(knownBounds, timeConstraints, shards);
    }
  }

  /** Looks what is known for a search; null where its shards must all be asked. */
  public @Nullable SearchBounds findBounds(ClusterView view, SearchRequest request) {
    PruningSettings now = policy;
    KnownBounds known = learnedBounds.boundsUnder(view.state());
    boolean any = !known.byName().isEmpty() || !known.guesses().isEmpty();
    if (!now.enabled() || !any || !PrunabilityChecker.isPrunable(request)) {
      return null;
    }
    List<QueryConstraint> wanted =
        new MandatoryQueryConstraintExtractor()
            .extractMandatoryConstraints(request.source(), now.fields());
    return wanted.isEmpty()
        ? null
        : new SearchBounds(
            known, new QueryTimeConstraints(wanted, request::getOrCreateAbsoluteStartMillis));
  }

  /**
   * A plan with fewer shards; null where all must be asked.
   *
   * @param shards as the plan counts them
   * @param notes where is kept what was left out; null for nowhere
   */
  public @Nullable PrunedSearchPlan prune(
      ClusterView view,
      SearchBounds bounds,
      List<ShardScope> shards,
      SearchPlan plan,
      @Nullable RequestRoutingDecisions notes) {
    PruningResult pruned =
        PruningResult.prune(bounds.knownBounds(), bounds.timeConstraints(), shards, plan);
    if (pruned.skippedShards() == 0) {
      return null;
    }
    Set<String> asked = bounds.knownBounds().addClusterManager(pruned.nodeIds());
    if (asked == null || asked.size() >= pruned.skippedShards()) {
      counts.recordTooFewShards();
      return null;
    }
    return new PrunedSearchPlan(
        pruned.plan(),
        new PruningVerifier(
            pruned,
            asked,
            view,
            new PruningVerifier.VerifierServices(positions, views, counts),
            notes));
  }
}
