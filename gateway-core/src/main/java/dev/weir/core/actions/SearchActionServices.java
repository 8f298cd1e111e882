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
 * What the search actions share.
 *
 * @param gatewayId the node id in the parent task ids of this gateway; unique among gateways
 * @param registries OpenSearch's registries
 * @param names resolves index names
 * @param recentDecisions ranks copies, and records why
 * @param coordination what the state machines use
 * @param reduceServices what reductions use
 * @param allowsPartialResults whether, by a policy, the shards of a search with a deadline get a
 *     timeout shortly before it
 * @param trimmer decides what responses leave out
 * @param timePruner leaves out shards by time; null to query all
 * @param sampler decides which searches are estimated
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
