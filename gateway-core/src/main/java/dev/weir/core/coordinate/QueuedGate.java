package dev.weir.core.coordinate;

import dev.weir.admission.queue.AdmissionQueue;
import dev.weir.admission.queue.AdmissionQueues;
import dev.weir.admission.queue.Demand;
import dev.weir.admission.queue.NodeLanes;
import dev.weir.admission.queue.Place;
import dev.weir.admission.queue.QueueRefusal;
import dev.weir.admission.queue.WorkClass;
import dev.weir.config.policy.QueuePolicy;
import dev.weir.model.RequestContext;
import dev.weir.model.Work;
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
public final class QueuedGate implements AdmissionGate {
  private static final Duration TICK = Duration.ofMillis(5);

  /** Runs where the timers do, on an event loop: nothing that it does waits. */
  private static final Executor DIRECT = Runnable::run;

  private final AdmissionQueues<Waiter> queues;
  private final BiFunction<RequestContext, QueueRefusal, Exception> refusals;
  private final LongSupplier nanoTime;
  private final Delays delays;
  private final AtomicBoolean ticking = new AtomicBoolean();
  private volatile ToDoubleFunction<String> weights;

  /** Who waits. */
  private record Waiter(
      RequestContext context, Consumer<Entry> told, QueuedGate gate, WorkClass kind) {
    static void wake(Place<Waiter> place) {
      place.request().wakeHome(place);
    }

    private void wakeHome(Place<Waiter> place) {
      try {
        context.later(() -> tell(place));
      } catch (RuntimeException closing) {
        leave(place); // nobody is left at home
      }
    }

    private void tell(Place<Waiter> place) {
      if (place.stand() != Place.Stand.OVER) {
        told.accept(held(place));
      }
    }

    /** How it stands now; who is refused is told when to come again. */
    private Held held(Place<Waiter> place) {
      QueueRefusal refusal = place.refusal();
      if (refusal != null) {
        context.comeAgain(refusal.retryAfter().toSeconds());
      }
      return new Held(place);
    }

    private Exception refused(QueueRefusal refusal) {
      return gate.refusals.apply(context, refusal);
    }

    private void leave(Place<Waiter> place) {
      gate.queues.of(kind).leave(place);
    }
  }

  /** A place, as it stood when it was told of. */
  private static final class Held implements Entry {
    private final Place<Waiter> place;
    private final Place.Stand stand;

    Held(Place<Waiter> place) {
      this.place = place;
      this.stand = place.stand();
    }

    @Override
    public boolean waits() {
      return stand == Place.Stand.WAITING;
    }

    @Override
    public @Nullable Exception refusal() {
      QueueRefusal refusal = stand == Place.Stand.REFUSED ? place.refusal() : null;
      return refusal == null ? null : place.request().refused(refusal);
    }

    @Override
    public void leave() {
      place.request().leave(place);
    }
  }

  /**
   * Makes one in which nothing waits.
   *
   * @param refusals what a client is told; asked once for each refusal
   * @param weights how much more than another a tenant may have
   */
  public QueuedGate(
      QueuePolicy policy,
      ToDoubleFunction<String> weights,
      BiFunction<RequestContext, QueueRefusal, Exception> refusals,
      LongSupplier nanoTime,
      Delays delays) {
    this.weights = weights;
    this.refusals = refusals;
    this.nanoTime = nanoTime;
    this.delays = delays;
    this.queues =
        new AdmissionQueues<>(
            policy, nanoTime, tenant -> this.weights.applyAsDouble(tenant), Waiter::wake);
  }

  /** Decides by another policy from now on. */
  public void use(QueuePolicy policy, ToDoubleFunction<String> tenantWeights) {
    weights = tenantWeights;
    queues.use(policy);
  }

  /** Where calls to nodes are counted. */
  public NodeLanes lanes() {
    return queues.lanes();
  }

  /** The queues, to be shown. */
  public AdmissionQueues<?> queues() {
    return queues;
  }

  @Override
  public boolean atOnce(Work work, String nodeId) {
    WorkClass kind = WorkClass.of(work.phase());
    return kind == null
        || (queues.of(kind).waiting() == 0 && queues.lanes().lane(nodeId, kind).hasRoom());
  }

  @Override
  public boolean hasRoom(Work work, String nodeId) {
    WorkClass kind = WorkClass.of(work.phase());
    return kind == null || queues.lanes().lane(nodeId, kind).hasRoom();
  }

  @Override
  public Entry ask(Asked asked, RequestContext context, Consumer<Entry> told) {
    WorkClass kind = WorkClass.of(asked.work().phase());
    if (kind == null) {
      return IN;
    }
    Waiter waiter = new Waiter(context, told, this, kind);
    Place<Waiter> place =
        queues
            .of(kind)
            .offer(
                waiter,
                new AdmissionQueue.Asking(
                    Demand.of(asked.calls()),
                    context.tenant(),
                    asked.work().costClass(),
                    context.deadline().leftNanos(nanoTime.getAsLong()),
                    !context.inner()));
    Held held = waiter.held(place);
    if (held.waits()) {
      startTicking();
    }
    return held;
  }

  private void startTicking() {
    if (ticking.compareAndSet(false, true)) {
      delays.after(TICK, DIRECT, this::tick);
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
