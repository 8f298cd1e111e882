package dev.weir.admission.queue;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Finds capacity for requests of one thread pool on the nodes, and reserves it. Of several nodes,
 * those that can't answer don't count. Stateless.
 *
 * @param mayTest whether the requests may test nodes that failed
 */
record CapacityReserver(
    NodeConcurrencyLimiters limiters, NodeThreadPool threadPool, boolean mayTest) {
  /** Returns the first need for which no node has capacity; null if all can be met. */
  NodeDemand.@Nullable Need findBlockedNeed(QueuedRequest request, Leniency leniency) {
    for (NodeDemand.Need need : request.demand().needs()) {
      if (freestNode(need, request.tenant(), leniency) == null) {
        return need;
      }
    }
    return null;
  }

  /**
   * Reserves slots on the nodes with the most capacity until the request's calls are sent. Of two
   * needs with a node in common the first may take what the second needs, which exceeds a limit
   * then.
   */
  List<QueuePosition.SlotReservation> reserve(QueuedRequest request, Leniency leniency) {
    List<QueuePosition.SlotReservation> reservations =
        new ArrayList<>(request.demand().needs().size());
    for (NodeDemand.Need need : request.demand().needs()) {
      NodeConcurrencyLimiter best = freestNode(need, request.tenant(), leniency);
      if (best == null) {
        best = Objects.requireNonNull(freestNode(need, request.tenant(), null));
      }
      best.reserve(request.tenant(), need.atOnce());
      reservations.add(new QueuePosition.SlotReservation(best, request.tenant(), need));
    }
    return reservations;
  }

  /**
   * Returns the node with the most free slots among those that have capacity; null for none.
   *
   * @param leniency null if nodes without capacity count too
   */
  private @Nullable NodeConcurrencyLimiter freestNode(
      NodeDemand.Need need, String tenant, @Nullable Leniency leniency) {
    boolean anyAnswers = false;
    NodeConcurrencyLimiter best = null;
    double most = Double.NEGATIVE_INFINITY;
    for (String nodeId : need.nodes()) {
      boolean answers = need.nodes().size() == 1 || canAnswer(nodeId);
      if (!answers && anyAnswers) {
        continue;
      }
      if (answers && !anyAnswers) { // those before it don't count
        anyAnswers = true;
        best = null;
      }
      NodeConcurrencyLimiter limiter = limiters.limiter(nodeId, threadPool);
      if (leniency == null || limiter.hasCapacityFor(tenant, need.atOnce(), leniency)) {
        double free = limiter.freeSlotsFor(tenant);
        if (best == null || free > most) {
          most = free;
          best = limiter;
        }
      }
    }
    return best;
  }

  private boolean canAnswer(String nodeId) {
    return limiters.availability().canAnswer(nodeId, threadPool, mayTest);
  }
}
