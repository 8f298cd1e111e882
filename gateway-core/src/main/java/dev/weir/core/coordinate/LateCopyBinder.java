package dev.weir.core.coordinate;

import dev.weir.model.NodeCallType;
import dev.weir.model.RequestContext;
import dev.weir.model.RequestPolicy;
import dev.weir.model.ShardCopy;
import dev.weir.routing.CopyAssignment;
import dev.weir.routing.LateBindingQueue;
import dev.weir.routing.NodeLoadTracker;
import dev.weir.routing.PolicyAwareSelector;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Binds requests late, by their policies: see {@link LateBindingQueue}. Whatever makes room, on
 * whichever thread, sends a waiting request back to its own home. While something waits a timer
 * looks after it. Safe on any thread.
 */
public final class LateCopyBinder implements CopyBinder {
  private static final Duration TICK_INTERVAL = Duration.ofMillis(5);

  private final LateBindingQueue<WaitingRequest> binding;
  private final DelayScheduler delays;
  private final AtomicBoolean ticking = new AtomicBoolean();

  /** Makes one without anything waiting. */
  public LateCopyBinder(
      NodeLoadTracker loads,
      PolicyAwareSelector selector,
      LongSupplier nanoTime,
      DelayScheduler delays) {
    this.binding = new LateBindingQueue<>(loads, selector, nanoTime, WaitingRequest::wake);
    this.delays = delays;
  }

  /** Who waits. */
  private record WaitingRequest(
      RequestContext context, Consumer<Binding> onBound, LateBindingQueue<WaitingRequest> binding) {
    static void wake(CopyAssignment<WaitingRequest> place) {
      place.request().wakeOnEventLoop(place);
    }

    private void wakeOnEventLoop(CopyAssignment<WaitingRequest> place) {
      try {
        context.runLater(() -> onBound.accept(new WaitingBinding(binding, place, place.copy())));
      } catch (RuntimeException closing) {
        binding.abandon(place); // nobody is left at home
      }
    }
  }

  /** A place, and the copy that it had when it was told of. */
  private record WaitingBinding(
      LateBindingQueue<WaitingRequest> binding,
      CopyAssignment<WaitingRequest> place,
      @Nullable ShardCopy copy)
      implements Binding {
    @Override
    public @Nullable String nodeId() {
      return copy == null ? null : copy.nodeId();
    }

    @Override
    public boolean tryMarkSent() {
      return binding.startSending(place);
    }

    @Override
    public void release() {
      binding.abandon(place);
    }
  }

  @Override
  public Binding bind(BindingRequest offer, RequestContext context, Consumer<Binding> bound) {
    NodeCallType work = offer.work();
    WaitingRequest waiter = new WaitingRequest(context, bound, binding);
    CopyAssignment<WaitingRequest> place =
        binding.offer(
            waiter,
            offer.copies(),
            work.phase(),
            work.costClass(),
            offer.isFreshlyRanked(),
            context.resources().policy());
    ShardCopy copy = place.immediateCopy(); // asked once: another thread may bind what waits
    if (copy == null) {
      startTicking();
    }
    return new WaitingBinding(binding, place, copy);
  }

  @Override
  public @Nullable String selectNow(
      BindingRequest offer, RequestPolicy policy, Predicate<String> may) {
    NodeCallType work = offer.work();
    ShardCopy copy = binding.chooseNow(offer.copies(), work.phase(), work.costClass(), policy, may);
    return copy == null ? null : copy.nodeId();
  }

  private void startTicking() {
    if (ticking.compareAndSet(false, true)) {
      delays.schedule(TICK_INTERVAL, DIRECT, this::tick);
    }
  }

  /** Runs where the timers do, on an event loop: nothing that it does waits. */
  private static final Executor DIRECT = Runnable::run;

  private void tick() {
    ticking.set(false);
    binding.tick();
    if (binding.waitingCount() > 0) {
      startTicking();
    }
  }

  /** Moves what waits for nodes that are not named to its other copies. */
  public void retainOnly(Set<String> nodeIds) {
    binding.retainOnly(nodeIds);
  }

  /** How many requests wait. */
  public int waitingRequests() {
    return binding.waitingCount();
  }

  /** What became of requests so far. */
  public LateBindingQueue.Totals totals() {
    return binding.totals();
  }
}
