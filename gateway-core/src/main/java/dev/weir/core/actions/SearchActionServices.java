package dev.weir.core.actions;

import dev.weir.cluster.IndexNameResolver;
import dev.weir.core.actions.explain.RecentRoutingDecisions;
import dev.weir.core.coordinate.CoordinationServices;
import dev.weir.core.reduce.memory.ReduceServices;
import dev.weir.core.reduce.round.SearchCaller;
import dev.weir.model.RequestContext;
import dev.weir.protocol.registry.OpenSearchRegistries;
import dev.weir.routing.ReplicaSelector;

/**
 * What the search actions share. Safe on any thread.
 *
 * @param gatewayId the node id in the parent task ids of this gateway; unique among gateways
 * @param registries OpenSearch's registries
 * @param common what all actions share
 * @param reduceServices what reductions use
 * @param features change how a search runs
 */
public record SearchActionServices(
    String gatewayId,
    OpenSearchRegistries registries,
    ActionServices common,
    ReduceServices reduceServices,
    SearchFeatures features) {
  /** Returns the caller of a search, or of one of several searches of a request. */
  SearchCaller createCaller(long taskId, RequestContext context) {
    return SearchCaller.create(
        gatewayId, taskId, features.nodeCeilings().headers(context, gatewayId + "/" + taskId));
  }

  CoordinationServices coordination() {
    return common.coordination();
  }

  IndexNameResolver names() {
    return common.names();
  }

  RecentRoutingDecisions recentDecisions() {
    return common.recentDecisions();
  }

  ReplicaSelector selector() {
    return common.selector();
  }
}
