package dev.weir.core.coordinate;

import dev.weir.cluster.ClusterViewSource;
import java.util.function.LongSupplier;

/**
 * What the state machines reach the world through.
 *
 * @param sender sends calls to nodes
 * @param views where the newest view of the cluster is
 * @param scheduler waits
 * @param nanoClock a monotonic clock, nanoseconds
 * @param attemptPolicies decide whether one more copy is asked
 * @param copyBinder says which of several copies gets a request, and when
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
    CopyBinder copyBinder,
    TaskBanRemover banRemover,
    AdmissionGate admissionGate,
    WriteFlowController writeFlow) {

  /** The same with another sender. */
  public CoordinationServices withSender(NodeSender other) {
    return new CoordinationServices(
        other,
        views,
        scheduler,
        nanoClock,
        attemptPolicies,
        copyBinder,
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
      CopyBinder binder) {
    this(sender, views, delays, nanoClock, tails, binder, AdmissionGate.ADMIT_ALL);
  }

  /** An environment of its own bans, in which no write is sent again because it was refused. */
  public CoordinationServices(
      NodeSender sender,
      ClusterViewSource views,
      DelayScheduler delays,
      LongSupplier nanoClock,
      AttemptPolicies tails,
      CopyBinder binder,
      AdmissionGate gate) {
    this(
        sender,
        views,
        delays,
        nanoClock,
        tails,
        binder,
        new TaskBanRemover(delays),
        gate,
        WriteFlowController.withoutRetries());
  }

  /** An environment in which no request waits for a copy. */
  public CoordinationServices(
      NodeSender sender,
      ClusterViewSource views,
      DelayScheduler delays,
      LongSupplier nanoClock,
      AttemptPolicies tails) {
    this(sender, views, delays, nanoClock, tails, CopyBinder.FIRST_COPY);
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
        copyBinder,
        banRemover,
        admissionGate,
        other);
  }
}
