package dev.weir.core.actions;

import dev.weir.core.actions.ceiling.NodeCeilings;
import dev.weir.core.actions.forward.ForwardedSearchCounts;
import dev.weir.core.actions.prune.TimePruner;
import dev.weir.core.actions.warmup.RecentSearches;
import dev.weir.core.reduce.columns.ColumnFetch;
import dev.weir.model.RequestPolicy;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The features that change how a search runs, each by policy. Safe on any thread.
 *
 * @param trimmer decides what responses leave out
 * @param timePruner leaves out shards by time; null to query all
 * @param sampler decides which searches are estimated
 * @param allowsPartialResults whether, by a policy, the shards of a search with a deadline get a
 *     timeout shortly before it
 * @param forwardedSearches counts the searches that nodes coordinate
 * @param nodeCeilings tells nodes what a search may hold there
 * @param columnFetch fetches documents as columns at the nodes that can
 * @param recentSearches remembers searches for copies of shards that are new
 */
public record SearchFeatures(
    SearchTrimmer trimmer,
    @Nullable TimePruner timePruner,
    SearchSamplingPlanner sampler,
    Predicate<RequestPolicy> allowsPartialResults,
    ForwardedSearchCounts forwardedSearches,
    NodeCeilings nodeCeilings,
    ColumnFetch columnFetch,
    RecentSearches recentSearches) {}
