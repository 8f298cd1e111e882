package dev.weir.bench.simulation;

import com.netflix.concurrency.limits.Limit;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Rejects what exceeds a limit of Netflix's library concurrency-limits, for comparison. Nothing
 * waits. The limit applies to the searches of the gateway, as in OpenSearch 3.9 on a coordinating
 * node, or to the calls to each node.
 */
final class LimitedAdmission implements SimulatedAdmission {
  private final EventSimulator engine;
  private final boolean byNode;
  private final Supplier<Limit> newLimit;
  private final Map<String, Limiter> limiters = new HashMap<>();
  private final IdentityHashMap<Object, Started> started = new IdentityHashMap<>();

  /** A limit and the calls or searches that it counts. */
  private static final class Limiter {
    final Limit limit;
    int inFlight;

    Limiter(Limit limit) {
      this.limit = limit;
    }
  }

  /** A call or a search in flight, with the number of them at its start. */
  private record Started(Limiter limiter, long nanos, int inFlight) {}

  /**
   * Creates limits.
   *
   * @param byNode whether each node has a limit of its own
   * @param newLimit creates a limit
   */
  LimitedAdmission(SimulatedCluster cluster, boolean byNode, Supplier<Limit> newLimit) {
    this.engine = cluster.engine;
    this.byNode = byNode;
    this.newLimit = newLimit;
  }

  private Limiter limiter(String nodeId) {
    return limiters.computeIfAbsent(byNode ? nodeId : "", any -> new Limiter(newLimit.get()));
  }

  @Override
  public boolean requestsWait() {
    return false;
  }

  @Override
  public boolean hasCapacity(String nodeId, int calls) {
    Limiter limiter = limiter(nodeId);
    return limiter.inFlight + calls <= limiter.limit.getLimit();
  }

  @Override
  public void request(List<List<String>> nodesByCall, int costClass, Consumer<Admission> listener) {
    boolean fits = true;
    for (List<String> nodes : nodesByCall) {
      fits &= nodes.stream().anyMatch(node -> hasCapacity(node, 1));
    }
    listener.accept(new Unreserved(!fits));
  }

  @Override
  public void release(Admission admission) {
    // nothing is reserved
  }

  @Override
  public void onSend(SimulatedAttempt attempt) {
    Object counted = byNode ? attempt : attempt.request.search;
    if (!started.containsKey(counted)) {
      Limiter limiter = limiter(attempt.node.id);
      started.put(counted, new Started(limiter, engine.nowNanos(), ++limiter.inFlight));
    }
  }

  @Override
  public void onEnd(SimulatedAttempt attempt, SimulatedAttempt.@Nullable Status status, int queue) {
    if (byNode) {
      end(
          attempt,
          status == SimulatedAttempt.Status.OK,
          status == SimulatedAttempt.Status.REJECTED);
    }
  }

  @Override
  public void onSearchEnd(SimulatedShardRequest.SimulatedSearch search, boolean ok) {
    if (!byNode) {
      end(search, ok, !ok);
    }
  }

  private void end(Object counted, boolean ok, boolean dropped) {
    Started start = started.remove(counted);
    if (start == null) {
      return; // rejected
    }
    start.limiter().inFlight--;
    if (ok || dropped) {
      long nanos = Math.max(1, engine.nowNanos() - start.nanos());
      start.limiter().limit.onSample(start.nanos(), nanos, start.inFlight(), dropped);
    }
  }
}
