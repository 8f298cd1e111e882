package dev.weir.gateway.cluster;

import dev.weir.cluster.ClusterFollower;
import dev.weir.config.policy.GatewayPolicy;
import dev.weir.config.policy.PolicySettings;
import dev.weir.config.policy.RoutingPolicy;
import dev.weir.core.actions.explain.RecentRoutingDecisions;
import dev.weir.core.coordinate.attempt.BudgetedAttemptPolicies;
import dev.weir.core.coordinate.load.NodeLoadReports;
import dev.weir.model.PolicySectionRegistry;
import dev.weir.routing.NodeLoadTracker;
import dev.weir.routing.PolicyAwareSelector;
import dev.weir.routing.write.BulkShardSelector;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Selects copies of shards for reads, and shards for documents without an id. Safe on any thread.
 *
 * @param loadTracker learns the nodes' load
 * @param loadReports keeps what nodes with the plugin report
 * @param selector ranks copies
 * @param recentDecisions keeps the reasons of recent selections
 * @param attemptPolicies decide whether to ask one more copy
 * @param bulkShards selects shards for documents without an id
 */
public record CopySelection(
    NodeLoadTracker loadTracker,
    NodeLoadReports loadReports,
    PolicyAwareSelector selector,
    RecentRoutingDecisions recentDecisions,
    BudgetedAttemptPolicies attemptPolicies,
    BulkShardSelector bulkShards) {

  /**
   * Creates the selectors.
   *
   * @param overloaded whether the gateway must not hedge: requests wait, or it is busy
   */
  static CopySelection create(
      GatewayPolicy policy,
      ClusterFollower follower,
      SharedResources shared,
      BooleanSupplier overloaded) {
    PolicySectionRegistry<RoutingPolicy> sections =
        shared.policySections().narrow(PolicySettings::routing);
    NodeLoadTracker loads =
        new NodeLoadTracker(policy.routing(), System::nanoTime, SharedResources.RANDOM);
    PolicyAwareSelector selector =
        new PolicyAwareSelector(loads, sections, System::nanoTime, SharedResources.RANDOM);
    RecentRoutingDecisions recent =
        new RecentRoutingDecisions(
            policy.routing().explain().maxRequests(),
            follower::current,
            selector,
            System::nanoTime,
            System::currentTimeMillis,
            shared.limits().rejections().recentRejections());
    BudgetedAttemptPolicies attempts =
        new BudgetedAttemptPolicies(loads, sections, System::nanoTime, overloaded);
    follower.addListener((before, now) -> attempts.counts().retainNodes(now.nodes().keySet()));
    detectPauses(loads, shared);
    return new CopySelection(
        loads,
        new NodeLoadReports(follower.capabilities(), System::nanoTime),
        selector,
        recent,
        attempts,
        new BulkShardSelector(loads, System::nanoTime, SharedResources.RANDOM));
  }

  /** Runs a heartbeat on an event loop: a pause of the process or of that loop makes one late. */
  private static void detectPauses(NodeLoadTracker loads, SharedResources shared) {
    long millis = NodeLoadTracker.HEARTBEAT_INTERVAL.toMillis();
    shared
        .eventLoops()
        .group()
        .next()
        .scheduleAtFixedRate(loads::recordHeartbeat, millis, millis, TimeUnit.MILLISECONDS);
  }

  /** Changes how many routing decisions are kept. */
  public void updateExplain(RoutingPolicy.Explain changed) {
    recentDecisions.resize(changed.maxRequests());
  }
}
