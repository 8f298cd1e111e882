package dev.weir.core.actions;

import dev.weir.cluster.IndexNameResolver;
import dev.weir.core.actions.explain.RecentRoutingDecisions;
import dev.weir.core.coordinate.CoordinationServices;
import dev.weir.routing.ReplicaSelector;

/**
 * What all actions share. Safe on any thread.
 *
 * @param coordination what the state machines use
 * @param names resolves index names
 * @param recentDecisions ranks copies, and records why
 */
public record ActionServices(
    CoordinationServices coordination,
    IndexNameResolver names,
    RecentRoutingDecisions recentDecisions) {
  ReplicaSelector selector() {
    return recentDecisions.selector();
  }
}
