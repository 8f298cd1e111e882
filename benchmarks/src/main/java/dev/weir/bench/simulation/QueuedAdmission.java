package dev.weir.bench.simulation;

import dev.weir.admission.queue.AdmissionQueue;
import dev.weir.admission.queue.AdmissionQueues;
import dev.weir.admission.queue.NodeConcurrencyLimiter;
import dev.weir.admission.queue.NodeDemand;
import dev.weir.admission.queue.NodeThreadPool;
import dev.weir.admission.queue.QueuePosition;
import dev.weir.admission.queue.QueuedRequest;
import dev.weir.config.policy.QueuePolicy;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The gateway's own limits of calls in flight to each node, with its queue of searches that wait
 * until all nodes that they need are below their limits.
 */
final class QueuedAdmission implements SimulatedAdmission {
  private static final long TICK_NANOS = 5_000_000;
  private static final String TENANT = "_default";
  private static final NodeThreadPool POOL = NodeThreadPool.SEARCH;

  private final EventSimulator engine;
  private final AdmissionQueues<Waiter> queues;
  private boolean ticking;

  /** A search that asks for admission, and who hears the decision. */
  private record Waiter(Consumer<Admission> listener) {}

  /** A decision about a search that had to ask. */
  private record Position(QueuePosition<Waiter> position) implements Admission {
    @Override
    public boolean isRejected() {
      return position.state() == QueuePosition.State.REJECTED;
    }

    @Override
    public boolean isReservedOn(String nodeId) {
      return position.isReservedOn(nodeId);
    }
  }

  QueuedAdmission(SimulatedCluster cluster, QueuePolicy policy) {
    this.engine = cluster.engine;
    this.queues =
        new AdmissionQueues<>(
            policy,
            engine::nowNanos,
            tenant -> 1,
            position -> position.request().listener().accept(new Position(position)));
    cluster.nodes.forEach(node -> queues.setThreads(node.id, POOL, node.threads));
  }

  private AdmissionQueue<Waiter> queue() {
    return queues.queueFor(POOL);
  }

  private NodeConcurrencyLimiter limiter(String nodeId) {
    return queues.limiters().limiter(nodeId, POOL);
  }

  @Override
  public boolean requestsWait() {
    return queue().waiting() > 0;
  }

  @Override
  public boolean hasCapacity(String nodeId, int calls) {
    return limiter(nodeId).hasCapacityFor(TENANT, calls);
  }

  @Override
  public void request(List<List<String>> nodesByCall, int costClass, Consumer<Admission> listener) {
    Waiter waiter = new Waiter(listener);
    QueuePosition<Waiter> position =
        queue()
            .offer(
                waiter,
                new QueuedRequest(NodeDemand.of(nodesByCall), TENANT, costClass, Long.MAX_VALUE));
    if (position.state() == QueuePosition.State.WAITING) {
      startTicking();
    } else {
      listener.accept(new Position(position));
    }
  }

  @Override
  public void release(Admission admission) {
    if (admission instanceof Position(QueuePosition<Waiter> position)) {
      queue().release(position);
    }
  }

  @Override
  public void onSend(SimulatedAttempt attempt) {
    limiter(attempt.node.id).heldSlots().onCallStart(TENANT, engine.nowNanos());
    limiter(attempt.node.id).onCallStart();
  }

  @Override
  public void onEnd(SimulatedAttempt attempt, SimulatedAttempt.@Nullable Status status, int queue) {
    NodeConcurrencyLimiter limiter = limiter(attempt.node.id);
    limiter.heldSlots().onCallEnd(TENANT);
    int costClass = attempt.request.costClass;
    queue().recordCallCost(TENANT, costClass, (double) (engine.nowNanos() - attempt.sentNanos));
    if (status == SimulatedAttempt.Status.OK) {
      limiter.onResponse(costClass, queue, attempt.sentNanos, true);
    } else if (status == SimulatedAttempt.Status.REJECTED) {
      limiter.onRejection(attempt.sentNanos);
    } else {
      limiter.onAbandoned();
    }
  }

  private void startTicking() {
    if (!ticking) {
      ticking = true;
      engine.scheduleAfter(TICK_NANOS, this::tick);
    }
  }

  private void tick() {
    ticking = false;
    queues.tick();
    if (queues.waiting() > 0) {
      startTicking();
    }
  }
}
