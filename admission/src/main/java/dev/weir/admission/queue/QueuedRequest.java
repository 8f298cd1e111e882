package dev.weir.admission.queue;

/**
 * A request that asks for admission.
 *
 * @param demand the nodes that it needs
 * @param costClass equal for requests of about the same cost
 * @param remainingDeadlineNanos time until its deadline; {@link Long#MAX_VALUE} for none
 * @param fromClient whether the client-facing statistics count it
 * @param origin the client's request that it is a part of; equal for all of its parts
 */
public record QueuedRequest(
    NodeDemand demand,
    String tenant,
    int costClass,
    long remainingDeadlineNanos,
    boolean fromClient,
    Object origin) {
  /** Creates a client's request of one part. */
  public QueuedRequest(
      NodeDemand demand, String tenant, int costClass, long remainingDeadlineNanos) {
    this(demand, tenant, costClass, remainingDeadlineNanos, true, new Object());
  }

  /** Returns the same with another demand. */
  QueuedRequest withDemand(NodeDemand another) {
    return new QueuedRequest(
        another, tenant, costClass, remainingDeadlineNanos, fromClient, origin);
  }
}
