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
      for (int i = 0; i < need.nodes().size() && !hasCapacity; i++) {
        NodeConcurrencyLimiter limiter = limiters.limiter(need.nodes().get(i), threadPool);
        hasCapacity =
            mayOvercommit
                ? limiter.hasOvercommitCapacityFor(request.tenant(), need.calls())
                : limiter.hasCapacityFor(request.tenant(), need.calls());
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
      NodeConcurrencyLimiter best = freestNode(need, request.tenant());
      best.reserve(request.tenant(), need.calls());
      reservations.add(new QueuePosition.SlotReservation(best, request.tenant(), need.calls()));
    }
    return reservations;
  }

  private NodeConcurrencyLimiter freestNode(NodeDemand.Need need, String tenant) {
    NodeConcurrencyLimiter best = limiters.limiter(need.nodes().getFirst(), threadPool);
    if (need.nodes().size() == 1) {
      return best;
    }
    double most = Double.NEGATIVE_INFINITY;
    for (String nodeId : need.nodes()) {
      NodeConcurrencyLimiter limiter = limiters.limiter(nodeId, threadPool);
      double free = limiter.freeSlotsFor(tenant);
      if (free > most) {
        most = free;
        best = limiter;
      }
    }
    return best;
  }
}
