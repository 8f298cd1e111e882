package dev.weir.core.coordinate;

import dev.weir.cluster.ClusterViewSource;
import dev.weir.routing.ReplicaSelector;
import java.util.function.LongSupplier;

/**
 * What the state machines reach the world through.
 *
 * @param sender sends calls to nodes
 * @param views where the newest view of the cluster is
 * @param scheduler waits
 * @param nanoClock a monotonic clock, nanoseconds
 * @param attemptPolicies decide whether one more copy is asked
 * @param selector chooses the copy that a request is sent to
 * @param banRemover has nodes forget the bans of cancelled requests
 * @param admissionGate lets a request in when the nodes that it needs have room
 * @param writeFlow how much of writes goes to a node at once, and what is sent again
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

  /** The same with another sender. */
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

  /** An environment in which every request is let in at once. */
  public CoordinationServices(
      NodeSender sender,
      ClusterViewSource views,
      DelayScheduler delays,
      LongSupplier nanoClock,
      AttemptPolicies tails,
      ReplicaSelector selector) {
    this(sender, views, delays, nanoClock, tails, selector, AdmissionGate.ADMIT_ALL);
  }

  /** An environment of its own bans, in which no write is sent again because it was refused. */
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

  /** An environment in which a request goes to the copy that its plan puts first. */
  public CoordinationServices(
      NodeSender sender,
      ClusterViewSource views,
      DelayScheduler delays,
      LongSupplier nanoClock,
      AttemptPolicies tails) {
    this(sender, views, delays, nanoClock, tails, AS_RANKED);
  }

  /** An environment in which no copy is asked because another is late. */
  public CoordinationServices(
      NodeSender sender, ClusterViewSource views, DelayScheduler delays, LongSupplier nanoClock) {
    this(sender, views, delays, nanoClock, AttemptPolicy.RETRY_ONLY);
  }

  /** The same with another flow of writes. */
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
