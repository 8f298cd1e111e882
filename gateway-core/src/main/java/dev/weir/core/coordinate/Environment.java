package dev.weir.core.coordinate;

import dev.weir.cluster.ClusterViews;
import java.util.function.LongSupplier;

/**
 * What the state machines reach the world through.
 *
 * @param sender sends calls to nodes
 * @param views where the newest view of the cluster is
 * @param delays waits
 * @param nanoClock a monotonic clock, nanoseconds
 * @param tails decide whether one more copy is asked
 * @param binder says which of several copies gets a request, and when
 * @param bans has nodes forget the bans of cancelled requests
 * @param gate lets a request in when the nodes that it needs have room
 * @param flow how much of writes goes to a node at once, and what is sent again
 */
public record Environment(
    NodeSender sender,
    ClusterViews views,
    Delays delays,
    LongSupplier nanoClock,
    Tails tails,
    Binder binder,
    TaskBans bans,
    AdmissionGate gate,
    WriteFlow flow) {

  /** The same with another sender. */
  public Environment withSender(NodeSender other) {
    return new Environment(other, views, delays, nanoClock, tails, binder, bans, gate, flow);
  }

  /** An environment in which every request is let in at once. */
  public Environment(
      NodeSender sender,
      ClusterViews views,
      Delays delays,
      LongSupplier nanoClock,
      Tails tails,
      Binder binder) {
    this(sender, views, delays, nanoClock, tails, binder, AdmissionGate.OPEN);
  }

  /** An environment of its own bans, in which no write is sent again because it was refused. */
  public Environment(
      NodeSender sender,
      ClusterViews views,
      Delays delays,
      LongSupplier nanoClock,
      Tails tails,
      Binder binder,
      AdmissionGate gate) {
    this(
        sender,
        views,
        delays,
        nanoClock,
        tails,
        binder,
        new TaskBans(delays),
        gate,
        WriteFlow.plain());
  }

  /** An environment in which no request waits for a copy. */
  public Environment(
      NodeSender sender, ClusterViews views, Delays delays, LongSupplier nanoClock, Tails tails) {
    this(sender, views, delays, nanoClock, tails, Binder.FIRST);
  }

  /** An environment in which no copy is asked because another is late. */
  public Environment(NodeSender sender, ClusterViews views, Delays delays, LongSupplier nanoClock) {
    this(sender, views, delays, nanoClock, Tail.PLAIN);
  }

  /** The same with another flow of writes. */
  public Environment with(WriteFlow other) {
    return new Environment(sender, views, delays, nanoClock, tails, binder, bans, gate, other);
  }
}
