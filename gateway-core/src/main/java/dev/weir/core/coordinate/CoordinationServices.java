package dev.weir.core.coordinate;

import dev.weir.cluster.ClusterViewSource;
import dev.weir.routing.ReplicaSelector;
import java.util.function.LongSupplier;

/**
 * What the state machines use.
 *
 * @param sender sends calls to nodes
 * @param views gives the newest view of the cluster
 * @param scheduler runs actions later
 * @param nanoClock a monotonic clock, in nanoseconds
 * @param attemptPolicies decide whether to try one more copy
 * @param selector chooses a copy for each request
 * @param banRemover removes the bans of cancelled requests from nodes
 * @param admissionGate admits a request when the nodes that it needs have capacity
 * @param writeFlow bounds the bytes of writes in flight to a node, and retries rejected writes
 */
public record CoordinationServices(
    NodeSender sender,
    ClusterViewSource views,
    DelayScheduler scheduler,
    LongSupplier nanoClock,
    AttemptPolicies attemptPolicies,
    ReplicaSelector selector,
    TaskBanRemover banRemover,
    AdmissionGate admissionGate,
    WriteFlowController writeFlow) {
  private static final ReplicaSelector AS_RANKED = (copies, count, phase) -> {};

  /** The same services with another sender. */
  public CoordinationServices withSender(NodeSender other) {
    return new CoordinationServices(
        other,
        views,
        scheduler,
        nanoClock,
        attemptPolicies,
        selector,
        banRemover,
        admissionGate,
        writeFlow);
  }

  /** Services that admit every request at once. */
  public CoordinationServices(
      NodeSender sender,
      ClusterViewSource views,
      DelayScheduler delays,
      LongSupplier nanoClock,
      AttemptPolicies tails,
      ReplicaSelector selector) {
    this(sender, views, delays, nanoClock, tails, selector, AdmissionGate.ADMIT_ALL);
  }

  /** Services with a ban remover of their own that retry no rejected write. */
  public CoordinationServices(
      NodeSender sender,
      ClusterViewSource views,
      DelayScheduler delays,
      LongSupplier nanoClock,
      AttemptPolicies tails,
      ReplicaSelector selector,
      AdmissionGate gate) {
    this(
        sender,
        views,
        delays,
        nanoClock,
        tails,
        selector,
        new TaskBanRemover(delays),
        gate,
        WriteFlowController.withoutRetries());
  }

  /** Services that send each request to the copy that its plan puts first. */
  public CoordinationServices(
      NodeSender sender,
      ClusterViewSource views,
      DelayScheduler delays,
      LongSupplier nanoClock,
      AttemptPolicies tails) {
    this(sender, views, delays, nanoClock, tails, AS_RANKED);
  }

  /** Services that never hedge. */
  public CoordinationServices(
      NodeSender sender, ClusterViewSource views, DelayScheduler delays, LongSupplier nanoClock) {
    this(sender, views, delays, nanoClock, AttemptPolicy.RETRY_ONLY);
  }

  /** The same services with another write flow controller. */
  public CoordinationServices withWriteFlow(WriteFlowController other) {
    return new CoordinationServices(
        sender,
        views,
        scheduler,
        nanoClock,
        attemptPolicies,
        selector,
        banRemover,
        admissionGate,
        other);
  }
}
