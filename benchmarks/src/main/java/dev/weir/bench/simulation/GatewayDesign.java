package dev.weir.bench.simulation;

import dev.weir.routing.NodeLoadRecorder;
import dev.weir.routing.NodeLoadTracker;
import dev.weir.routing.ReplicaSelector;
import org.jspecify.annotations.Nullable;

/** A compared way to build a gateway. */
interface GatewayDesign {
  /** Returns the name in tables. */
  String label();

  /**
   * Creates the components of one gateway.
   *
   * @param current the gateway sets it while it selects a copy
   * @param seed of this gateway's random values
   */
  Components create(
      SimulatedCluster cluster, SimulationScenario scenario, CurrentRequest current, long seed);

  /**
   * The components of a gateway.
   *
   * @param recorder records each request that is sent
   * @param hedging null for none
   * @param admission the limits on each node; null for none
   */
  record Components(
      NodeLoadTracker tracker,
      NodeLoadRecorder recorder,
      ReplicaSelector selector,
      @Nullable SimulatedHedging hedging,
      @Nullable SimulatedAdmission admission) {
    Components withAdmission(@Nullable SimulatedAdmission other) {
      return new Components(tracker, recorder, selector, hedging, other);
    }
  }
}
