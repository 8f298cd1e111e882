package dev.weir.admission.queue;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds capacity for requests of one thread pool on the nodes, and reserves it. Stateless. */
record CapacityReserver(NodeConcurrencyLimiters limiters, NodeThreadPool threadPool) {
  /**
   * Returns the first need for which no node has capacity; null if all can be met.
   *
   * @param mayOvercommit whether the request has waited so long that it may exceed the limits
   */
  NodeDemand.@Nullable Need findBlockedNeed(QueuedRequest request, boolean mayOvercommit) {
    for (NodeDemand.Need need : request.demand().needs()) {
      boolean hasCapacity = false;
      for (String nodeId : need.nodes()) {
        NodeConcurrencyLimiter limiter = limiters.limiter(nodeId, threadPool);
        hasCapacity |=
            mayOvercommit
                ? limiter.hasOvercommitCapacityFor(request.tenant())
                : limiter.hasCapacityFor(request.tenant());
      }
      if (!hasCapacity) {
        return need;
      }
    }
    return null;
  }

  /** Reserves slots on the nodes with the most capacity until the request's calls are sent. */
  List<QueuePosition.SlotReservation> reserve(QueuedRequest request) {
    List<QueuePosition.SlotReservation> reservations =
        new ArrayList<>(request.demand().needs().size());
    for (NodeDemand.Need need : request.demand().needs()) {
      NodeConcurrencyLimiter best = limiters.limiter(need.nodes().getFirst(), threadPool);
      for (String nodeId : need.nodes()) {
        NodeConcurrencyLimiter limiter = limiters.limiter(nodeId, threadPool);
        best =
            limiter.freeSlotsFor(request.tenant()) > best.freeSlotsFor(request.tenant())
                ? limiter
                : best;
      }
      best.reserve(request.tenant(), need.calls());
      reservations.add(new QueuePosition.SlotReservation(best, request.tenant(), need.calls()));
    }
    return reservations;
  }
}
