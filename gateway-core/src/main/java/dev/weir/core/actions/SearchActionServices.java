package dev.weir.core.actions;

import dev.weir.cluster.IndexNameResolver;
import dev.weir.core.actions.explain.RecentRoutingDecisions;
import dev.weir.core.actions.prune.TimePruner;
import dev.weir.core.coordinate.CoordinationServices;
import dev.weir.core.reduce.memory.ReduceServices;
import dev.weir.model.RequestPolicy;
import dev.weir.protocol.registry.OpenSearchRegistries;
import dev.weir.routing.ReplicaSelector;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What the search actions are made of.
 *
 * @param gatewayId what nodes know this gateway as in the parent ids of tasks; unique among
 *     gateways
 * @param registries OpenSearch's registries
 * @param names resolves index names
 * @param recentDecisions puts copies in order, and keeps why
 * @param coordination what searches need to be carried out
 * @param reduceServices what reductions need
 * @param allowsPartialResults whether shards of searches with a deadline get a timeout a little
 *     before it, by their policies
 * @param trimmer says what is left out of answers
 * @param timePruner leaves shards out by time; null for never
 * @param sampler says what is answered by estimates
 */
public record SearchActionServices(
    String gatewayId,
    OpenSearchRegistries registries,
    IndexNameResolver names,
    RecentRoutingDecisions recentDecisions,
    CoordinationServices coordination,
    ReduceServices reduceServices,
    Predicate<RequestPolicy> allowsPartialResults,
    SearchTrimmer trimmer,
    @Nullable TimePruner timePruner,
    SearchSamplingPlanner sampler) {
  ReplicaSelector selector() {
    return recentDecisions.selector();
  }
}
