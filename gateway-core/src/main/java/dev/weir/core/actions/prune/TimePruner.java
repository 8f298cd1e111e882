package dev.weir.core.actions.prune;

import dev.weir.cluster.ClusterView;
import dev.weir.cluster.ClusterViewSource;
import dev.weir.cluster.bounds.BoundsRegistry;
import dev.weir.cluster.bounds.CopyBoundsChecker;
import dev.weir.cluster.bounds.CopyBoundsRegistry;
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
 * Prunes the shards of a search whose indices have nothing in its time range. Three conditions
 * hold: every hit must match a range of the query on a time field, the learned bounds of the index
 * or of a copy of the shard are outside of that range, and the nodes confirm that this is still so
 * ({@link BoundsRegistry} has the proof for indices with a write block, {@link CopyBoundsChecker}
 * that for copies of the others). At least one shard is searched, to give an empty response its
 * shape. The policy can be changed on any thread.
 */
public final class TimePruner {
  private final BoundsRegistry learnedBounds;
  private final CopyBoundsRegistry learnedCopies;
  private final NodeChecks checks;
  private final ClusterViewSource views;
  private final PruningCounts counts = new PruningCounts();
  private volatile PruningSettings policy;

  private record PruningSettings(boolean enabled, Set<String> fields) {
    static PruningSettings of(TimePruningPolicy policy) {
      return new PruningSettings(policy.isEnabled(), Set.copyOf(policy.effectiveDateFields()));
    }
  }

  /**
   * What asks nodes for confirmation.
   *
   * @param positions asks for the state that they have applied
   * @param copies asks for the readers of copies
   */
  public record NodeChecks(NodePositionChecker positions, CopyBoundsChecker copies) {}

  /**
   * Creates a pruner.
   *
   * @param views refreshes the view when nodes are ahead of it
   */
  public TimePruner(
      TimePruningPolicy policy,
      BoundsRegistry learned,
      CopyBoundsRegistry copies,
      NodeChecks checks,
      ClusterViewSource views) {
    this.policy = PruningSettings.of(policy);
    this.learnedBounds = learned;
    this.learnedCopies = copies;
    this.checks = checks;
    this.views = views;
  }

  /** Applies a changed policy. */
  public void updatePolicy(TimePruningPolicy changed) {
    policy = PruningSettings.of(changed);
  }

  /** Returns the counts of outcomes. */
  public PruningCounts counts() {
    return counts;
  }

  /**
   * The inputs of pruning for one search.
   *
   * @param knownBounds the bounds under its view
   * @param timeConstraints the times that it matches
   */
  public record SearchBounds(KnownBounds knownBounds, QueryTimeConstraints timeConstraints) {
    /** Returns whether most shards probably have no hit, so that can-match pays off. */
    public boolean isLikelyToPruneMost(List<ShardScope> shards) {
      return PruningResult.isLikelyToPruneMost(knownBounds, timeConstraints, shards);
    }
  }

  /** Returns the bounds for a search; null if it has to search all shards. */
  public @Nullable SearchBounds findBounds(ClusterView view, SearchRequest request) {
    PruningSettings now = policy;
    KnownBounds known =
        view.hasNewerRouting()
            ? KnownBounds.NONE // nodes confirm one state, so all of the view must come from one
            : learnedBounds.boundsUnder(view.state());
    boolean any =
        !known.byName().isEmpty() || !known.guesses().isEmpty() || !learnedCopies.isEmpty();
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
   * Returns a plan with fewer shards; null if all must be searched.
   *
   * @param shards in the order of the plan
   * @param canMatchByGuess whether the plan asks shards first only because most of them probably
   *     have no hit
   * @param notes records the pruned indices; null for none
   */
  public @Nullable PrunedSearchPlan prune(
      ClusterView view,
      SearchBounds bounds,
      List<ShardScope> shards,
      SearchPlan plan,
      boolean canMatchByGuess,
      @Nullable RequestRoutingDecisions notes) {
    PruningResult pruned =
        PruningResult.prune(
            bounds.knownBounds(), learnedCopies, bounds.timeConstraints(), shards, plan);
    if (pruned.skippedShards() == 0) {
      if (pruned.hasOtherCandidates()) {
        counts.recordTooFewShards();
      }
      return null;
    }
    Set<String> asked =
        pruned.nodeIds().isEmpty()
            ? Set.of()
            : bounds.knownBounds().addClusterManager(pruned.nodeIds());
    if (asked == null || asked.size() + pruned.copiesByNode().size() >= pruned.skippedShards()) {
      counts.recordTooFewShards();
      return null;
    }
    PruningResult result =
        canMatchByGuess
            ? pruned.withCanMatchByGuess(bounds.knownBounds(), bounds.timeConstraints(), shards)
            : pruned;
    return new PrunedSearchPlan(
        result.plan(),
        new PruningVerifier(
            result,
            asked,
            view,
            new PruningVerifier.VerifierServices(
                checks.positions(), checks.copies(), views, counts),
            notes));
  }
}
