package dev.weir.core.coordinate;

import dev.weir.cluster.ClusterViewSource;
import dev.weir.core.coordinate.flow.WriteFlowController;
import dev.weir.routing.ReplicaSelector;
import java.util.function.LongSupplier;

/**
 * What the state machines use. Safe on any thread.
 *
 * @param sender sends calls to nodes
 * @param views gives the newest view of the cluster
 * @param timers the clock and the timer
 * @param attempts how reads try the copies of a shard
 * @param capacity bounds what the nodes get at once
 * @param banRemover removes the bans of cancelled requests from nodes
 */
public record CoordinationServices(
    NodeSender sender,
    ClusterViewSource views,
    CoordinationTimers timers,
    CopyAttempts attempts,
    NodeCapacity capacity,
    TaskBanRemover banRemover) {

  /** Services with a ban remover of their own. */
  public static CoordinationServices create(
      NodeSender sender,
      ClusterViewSource views,
      CoordinationTimers timers,
      CopyAttempts attempts,
      NodeCapacity capacity) {
    return new CoordinationServices(
        sender, views, timers, attempts, capacity, new TaskBanRemover(timers.scheduler()));
  }

  /** The same services with another sender. */
  public CoordinationServices withSender(NodeSender other) {
    return new CoordinationServices(other, views, timers, attempts, capacity, banRemover);
  }

  /** The same services with another write flow controller. */
  public CoordinationServices withWriteFlow(WriteFlowController other) {
    return new CoordinationServices(
        sender,
        views,
        timers,
        attempts,
        new NodeCapacity(capacity.admissionGate(), other),
        banRemover);
  }

  /** Runs actions later. */
  public DelayScheduler scheduler() {
    return timers.scheduler();
  }

  /** A monotonic clock, in nanoseconds. */
  public LongSupplier nanoClock() {
    return timers.nanoClock();
  }

  /** Decide whether to try one more copy. */
  public AttemptPolicies attemptPolicies() {
    return attempts.policies();
  }

  /** Chooses the copy for each request. */
  public ReplicaSelector selector() {
    return attempts.selector();
  }

  /** Admits a request when the nodes that it needs have capacity. */
  public AdmissionGate admissionGate() {
    return capacity.admissionGate();
  }

  /** Bounds the bytes of writes in flight to a node, and retries rejected writes. */
  public WriteFlowController writeFlow() {
    return capacity.writeFlow();
  }
}
