package dev.weir.gateway;

import dev.weir.config.policy.PolicySettings;
import dev.weir.model.PolicySectionRegistry;
import dev.weir.protocol.EventLoops;

/**
 * What all clusters behind the gateway share.
 *
 * @param policySections to which each part adds its section of a request's policy
 * @param eventLoops serve clients and nodes
 */
record SharedServices(
    PolicySectionRegistry<PolicySettings> policySections,
    EventLoops eventLoops,
    RequestLimits limits,
    SharedMemory memory,
    ReductionThreadPool reductions,
    GatewayFeatures features) {

  EventLoopScheduler scheduler() {
    return new EventLoopScheduler(eventLoops.group());
  }
}
