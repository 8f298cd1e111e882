package dev.weir.core.coordinate;

import dev.weir.admission.queue.AdmissionQueue;
import dev.weir.admission.queue.AdmissionQueues;
import dev.weir.admission.queue.NodeConcurrencyLimiters;
import dev.weir.admission.queue.NodeDemand;
import dev.weir.admission.queue.NodeThreadPool;
import dev.weir.admission.queue.QueuePosition;
import dev.weir.admission.queue.QueueRejection;
import dev.weir.config.policy.QueuePolicy;
import dev.weir.model.NodeCallType;
import dev.weir.model.RequestContext;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The gate with a queue for each class of work, by the policy in force. Whatever makes room, on
 * whichever thread, sends a waiting request back to its own home. While something waits a timer
 * looks after it. Safe on any thread.
 */
public final class QueuedAdmissionGate implements AdmissionGate {
  private static final Duration TICK_INTERVAL = Duration.ofMillis(5);

  /** Runs where the timers do, on an event loop: nothing that it does waits. */
  private static final Executor DIRECT = Runnable::run;

  private final AdmissionQueues<WaitingRequest> queues;
  private final BiFunction<RequestContext, QueueRejection, Exception> rejectionFactory;
  private final LongSupplier nanoTime;
  private final DelayScheduler delays;
  private final AtomicBoolean ticking = new AtomicBoolean();
  private volatile ToDoubleFunction<String> weights;

  /** Who waits. */
  private record WaitingRequest(
      RequestContext context,
      Consumer<AdmissionHandle> listener,
      QueuedAdmissionGate gate,
      NodeThreadPool kind) {
    static void wake(QueuePosition<WaitingRequest> place) {
      place.request().wakeOnEventLoop(place);
    }

    private void wakeOnEventLoop(QueuePosition<WaitingRequest> place) {
      try {
        context.runLater(() -> notifyListener(place));
      } catch (RuntimeException closing) {
        release(place); // nobody is left at home
      }
    }

    private void notifyListener(QueuePosition<WaitingRequest> place) {
      if (place.state() != QueuePosition.State.RELEASED) {
        listener.accept(handle(place));
      }
    }

    /** How it stands now; who is refused is told when to come again. */
    private QueuedAdmissionHandle handle(QueuePosition<WaitingRequest> place) {
      QueueRejection refusal = place.rejection();
      if (refusal != null) {
        context.response().extendRetryAfter(refusal.retryAfter().toSeconds());
      }
      return new QueuedAdmissionHandle(place);
    }

    private Exception rejection(QueueRejection refusal) {
      return gate.rejectionFactory.apply(context, refusal);
    }

    private void release(QueuePosition<WaitingRequest> place) {
      gate.queues.queueFor(kind).release(place);
    }
  }

  /** A place, as it stood when it was told of. */
  private static final class QueuedAdmissionHandle implements AdmissionHandle {
    private final QueuePosition<WaitingRequest> place;
    private final QueuePosition.State stand;

    QueuedAdmissionHandle(QueuePosition<WaitingRequest> place) {
      this.place = place;
      this.stand = place.state();
    }

    @Override
    public boolean isWaiting() {
      return stand == QueuePosition.State.WAITING;
    }

    @Override
    public @Nullable Exception rejection() {
      QueueRejection refusal = stand == QueuePosition.State.REJECTED ? place.rejection() : null;
      return refusal == null ? null : place.request().rejection(refusal);
    }

    @Override
    public void release() {
      place.request().release(place);
    }
  }

  /**
   * Makes one in which nothing waits.
   *
   * @param refusals what a client is told; asked once for each refusal
   * @param weights how much more than another a tenant may have
   */
  public QueuedAdmissionGate(
      QueuePolicy policy,
      ToDoubleFunction<String> weights,
      BiFunction<RequestContext, QueueRejection, Exception> refusals,
      LongSupplier nanoTime,
      DelayScheduler delays) {
    this.weights = weights;
    this.rejectionFactory = refusals;
    this.nanoTime = nanoTime;
    this.delays = delays;
    this.queues =
        new AdmissionQueues<>(
            policy, nanoTime, tenant -> this.weights.applyAsDouble(tenant), WaitingRequest::wake);
  }

  /** Decides by another policy from now on. */
  public void updatePolicy(QueuePolicy policy, ToDoubleFunction<String> tenantWeights) {
    weights = tenantWeights;
    queues.updatePolicy(policy);
  }

  /** Where calls to nodes are counted. */
  public NodeConcurrencyLimiters lanes() {
    return queues.limiters();
  }

  /** The queues, to be shown. */
  public AdmissionQueues<?> queues() {
    return queues;
  }

  @Override
  public boolean canAdmitImmediately(NodeCallType work, String nodeId) {
    NodeThreadPool kind = NodeThreadPool.forPhase(work.phase());
    return kind == null
        || (queues.queueFor(kind).waiting() == 0
            && queues.limiters().limiter(nodeId, kind).hasCapacity());
  }

  @Override
  public boolean hasCapacity(NodeCallType work, String nodeId) {
    NodeThreadPool kind = NodeThreadPool.forPhase(work.phase());
    return kind == null || queues.limiters().limiter(nodeId, kind).hasCapacity();
  }

  @Override
  public AdmissionHandle requestAdmission(
      AdmissionRequest asked, RequestContext context, Consumer<AdmissionHandle> told) {
    NodeThreadPool kind = NodeThreadPool.forPhase(asked.work().phase());
    if (kind == null) {
      return ADMITTED;
    }
    WaitingRequest waiter = new WaitingRequest(context, told, this, kind);
    QueuePosition<WaitingRequest> place =
        queues
            .queueFor(kind)
            .offer(
                waiter,
                new AdmissionQueue.QueuedRequest(
                    NodeDemand.of(asked.nodeIdsByCall()),
                    context.tenant(),
                    asked.work().costClass(),
                    context.deadline().remainingNanos(nanoTime.getAsLong()),
                    !context.isInternal()));
    QueuedAdmissionHandle held = waiter.handle(place);
    if (held.isWaiting()) {
      startTicking();
    }
    return held;
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
