package dev.weir.gateway.actions;

import dev.weir.gateway.actions.explain.RecentChoices;
import dev.weir.gateway.cluster.IndexNames;
import dev.weir.gateway.coordinate.Environment;
import dev.weir.gateway.reduce.ReduceServices;
import dev.weir.protocol.registry.OpenSearchRegistries;
import dev.weir.routing.ReplicaSelector;

/**
 * What the search actions are made of.
 *
 * @param gatewayId what nodes know this gateway as in the parent ids of tasks; unique among
 *     gateways
 * @param registries OpenSearch's registries
 * @param names resolves index names
 * @param recent puts copies in order, and keeps why
 * @param environment what searches need to be carried out
 * @param reductions what reductions need
 */
public record SearchSetup(
    String gatewayId,
    OpenSearchRegistries registries,
    IndexNames names,
    RecentChoices recent,
    Environment environment,
    ReduceServices reductions) {
  ReplicaSelector selector() {
    return recent.selector();
  }
}
