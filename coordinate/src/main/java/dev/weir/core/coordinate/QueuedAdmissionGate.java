package dev.weir.core.coordinate;

import dev.weir.admission.head.ClientAddress;
import dev.weir.admission.queue.AdmissionQueue;
import dev.weir.admission.queue.AdmissionQueues;
import dev.weir.admission.queue.NodeConcurrencyLimiter;
import dev.weir.admission.queue.NodeConcurrencyLimiters;
import dev.weir.admission.queue.NodeDemand;
import dev.weir.admission.queue.NodeThreadPool;
import dev.weir.admission.queue.QueuePosition;
import dev.weir.admission.queue.QueueRejection;
import dev.weir.admission.queue.QueuedRequest;
import dev.weir.config.policy.QueuePolicy;
import dev.weir.config.policy.TenantsPolicy;
import dev.weir.core.coordinate.slot.TenantAccounting;
import dev.weir.model.NodeCallType;
import dev.weir.model.Phase;
import dev.weir.model.RequestContext;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Admits requests through one queue for each class of work, as the current policy says. Freed
 * capacity, on whichever thread, sends a waiting request back to its own event loop. While requests
 * wait a timer checks them. Safe on any thread.
 */
public final class QueuedAdmissionGate implements AdmissionGate, TenantAccounting {
  private static final Duration TICK_INTERVAL = Duration.ofMillis(5);

  /** Runs on the timer's thread, an event loop; the tasks never block. */
  private static final Executor DIRECT = Runnable::run;

  private final AdmissionQueues<WaitingRequest> queues;
  private final BiFunction<RequestContext, QueueRejection, Exception> rejectionFactory;
  private final LongSupplier nanoTime;
  private final DelayScheduler delays;
  private final AtomicBoolean ticking = new AtomicBoolean();
  private final Function<RequestContext, String> tenantResolver = this::resolveTenant;
  private volatile TenantsPolicy tenants;

  /** A request that waits for admission. */
  private record WaitingRequest(
      RequestContext context,
      Consumer<AdmissionHandle> listener,
      QueuedAdmissionGate gate,
      NodeThreadPool threadPool,
      int maxConcurrentPerNode) {
    static void wake(QueuePosition<WaitingRequest> position) {
      position.request().wakeOnEventLoop(position);
    }

    private void wakeOnEventLoop(QueuePosition<WaitingRequest> position) {
      try {
        context.runLater(() -> notifyListener(position));
      } catch (RuntimeException closing) {
        release(position); // the event loop has shut down
      }
    }

    private void notifyListener(QueuePosition<WaitingRequest> position) {
      if (position.state() != QueuePosition.State.RELEASED) {
        listener.accept(handle(position));
      }
    }

    /** The current state; a rejection tells the client when to retry. */
    private QueuedAdmissionHandle handle(QueuePosition<WaitingRequest> position) {
      QueueRejection refusal = position.rejection();
      if (refusal != null) {
        context.response().extendRetryAfter(refusal.retryAfter().toSeconds());
      }
      return new QueuedAdmissionHandle(position);
    }

    private Exception rejection(QueueRejection refusal) {
      return gate.rejectionFactory.apply(context, refusal);
    }

    private void widen(QueuePosition<WaitingRequest> position, List<List<String>> nodeIdsByCall) {
      gate.queues
          .queueFor(threadPool)
          .widen(position, gate.demand(nodeIdsByCall, maxConcurrentPerNode, threadPool));
    }

    private void release(QueuePosition<WaitingRequest> position) {
      gate.queues.queueFor(threadPool).release(position);
    }
  }

  /** A queue position at one moment. */
  private static final class QueuedAdmissionHandle implements AdmissionHandle {
    private final QueuePosition<WaitingRequest> position;
    private final QueuePosition.State state;

    QueuedAdmissionHandle(QueuePosition<WaitingRequest> position) {
      this.position = position;
      this.state = position.state();
    }

    @Override
    public boolean isWaiting() {
      return state == QueuePosition.State.WAITING;
    }

    @Override
    public @Nullable Exception rejection() {
      QueueRejection refusal = state == QueuePosition.State.REJECTED ? position.rejection() : null;
      return refusal == null ? null : position.request().rejection(refusal);
    }

    @Override
    public boolean isReservedOn(String nodeId) {
      return position.isReservedOn(nodeId);
    }

    @Override
    public void widen(List<List<String>> nodeIdsByCall) {
      position.request().widen(position, nodeIdsByCall);
    }

    @Override
    public void release() {
      position.request().release(position);
    }
  }

  /**
   * Starts with empty queues.
   *
   * @param refusals writes the client's error; called once for each rejection
   * @param tenants their weights in the fair share, and whether there are any
   */
  public QueuedAdmissionGate(
      QueuePolicy policy,
      TenantsPolicy tenants,
      BiFunction<RequestContext, QueueRejection, Exception> refusals,
      LongSupplier nanoTime,
      DelayScheduler delays) {
    this.tenants = tenants;
    this.rejectionFactory = refusals;
    this.nanoTime = nanoTime;
    this.delays = delays;
    this.queues =
        new AdmissionQueues<>(
            policy, nanoTime, tenant -> this.tenants.weightOf(tenant), WaitingRequest::wake);
  }

  /** Switches to another policy. */
  public void updatePolicy(QueuePolicy policy, TenantsPolicy newTenants) {
    tenants = newTenants;
    queues.updatePolicy(policy);
  }

  /** Counts the calls in flight. */
  public NodeConcurrencyLimiters lanes() {
    return queues.limiters();
  }

  /** The queues, for display. */
  public AdmissionQueues<?> queues() {
    return queues;
  }

  @Override
  public boolean canAdmitImmediately(
      NodeCallType work, String nodeId, int calls, RequestContext context) {
    NodeThreadPool threadPool = NodeThreadPool.forPhase(work.phase());
    return threadPool == null
        || (queues.queueFor(threadPool).waiting() == 0
            && hasCapacity(threadPool, nodeId, calls, context));
  }

  @Override
  public boolean hasCapacity(NodeCallType work, String nodeId, RequestContext context) {
    NodeThreadPool threadPool = NodeThreadPool.forPhase(work.phase());
    return threadPool == null || hasCapacity(threadPool, nodeId, 1, context);
  }

  /** A node to which nothing was sent yet has capacity, as has one that does not exist. */
  private boolean hasCapacity(
      NodeThreadPool threadPool, String nodeId, int calls, RequestContext context) {
    NodeConcurrencyLimiter known = queues.limiters().findLimiter(nodeId, threadPool);
    return known == null || known.hasCapacityFor(tenantOf(context), calls);
  }

  /**
   * Returns the demand of calls, without those that may go to a node to which nothing was sent yet:
   * it has capacity.
   */
  private NodeDemand demand(
      List<List<String>> nodeIdsByCall, int maxConcurrentPerNode, NodeThreadPool threadPool) {
    NodeConcurrencyLimiters limiters = queues.limiters();
    List<List<String>> limited = new ArrayList<>(nodeIdsByCall.size());
    for (List<String> nodeIds : nodeIdsByCall) {
      boolean allKnown = true;
      for (String nodeId : nodeIds) {
        allKnown &= limiters.findLimiter(nodeId, threadPool) != null;
      }
      if (allKnown) {
        limited.add(nodeIds);
      }
    }
    return NodeDemand.of(limited, maxConcurrentPerNode);
  }

  @Override
  public AdmissionHandle requestAdmission(
      AdmissionRequest request, RequestContext context, Consumer<AdmissionHandle> listener) {
    NodeThreadPool threadPool = NodeThreadPool.forPhase(request.work().phase());
    if (threadPool == null) {
      return ADMITTED;
    }
    WaitingRequest waiter =
        new WaitingRequest(context, listener, this, threadPool, request.maxConcurrentPerNode());
    QueuePosition<WaitingRequest> position =
        queues
            .queueFor(threadPool)
            .offer(
                waiter,
                new QueuedRequest(
                    demand(request.nodeIdsByCall(), request.maxConcurrentPerNode(), threadPool),
                    tenantOf(context),
                    request.work().costClass(),
                    context.deadline().remainingNanos(nanoTime.getAsLong()),
                    !context.isInternal(),
                    context.taskId()));
    QueuedAdmissionHandle held = waiter.handle(position);
    if (held.isWaiting()) {
      startTicking();
    }
    return held;
  }

  @Override
  public void recordCallCost(NodeCallType work, String tenant, long startNanos) {
    NodeThreadPool pool = NodeThreadPool.forPhase(work.phase());
    if (pool == null || work.phase() == Phase.FETCH) { // admission counts queries only
      return;
    }
    AdmissionQueue<WaitingRequest> queue = queues.queueFor(pool);
    if (queue.waiting() > 0) {
      queue.recordCallCost(tenant, work.costClass(), (double) (nanoTime.getAsLong() - startNanos));
    }
  }

  /**
   * Returns who shares a busy node's capacity with others: the tenant. Without tenants each
   * client's address has a share, so that many requests of one address hold up no other client.
   */
  @Override
  public String tenantOf(RequestContext context) {
    return context.capacityTenant(tenantResolver);
  }

  private String resolveTenant(RequestContext context) {
    SocketAddress client = context.clientAddress();
    if (client == null || tenants.source() != TenantsPolicy.TenantSource.NONE) {
      return context.tenant();
    }
    return Objects.requireNonNullElse(ClientAddress.of(client), context.tenant());
  }

  private void startTicking() {
    if (ticking.compareAndSet(false, true)) {
      delays.schedule(TICK_INTERVAL, DIRECT, this::tick);
    }
  }

  private void tick() {
    ticking.set(false);
    queues.tick();
    if (queues.waiting() > 0) {
      startTicking();
    }
  }
}
