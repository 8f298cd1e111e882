package dev.weir.core.coordinate;

import dev.weir.model.RequestContext;
import dev.weir.model.RequestPolicy;
import dev.weir.model.ShardCopy;
import dev.weir.model.Work;
import dev.weir.routing.LateBinding;
import dev.weir.routing.NodeLoadTracker;
import dev.weir.routing.Place;
import dev.weir.routing.SwitchingSelector;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Binds requests late, by their policies: see {@link LateBinding}. Whatever makes room, on
 * whichever thread, sends a waiting request back to its own home. While something waits a timer
 * looks after it. Safe on any thread.
 */
public final class LateBinder implements Binder {
  private static final Duration TICK = Duration.ofMillis(5);

  private final LateBinding<Waiter> binding;
  private final Delays delays;
  private final AtomicBoolean ticking = new AtomicBoolean();

  /** Makes one without anything waiting. */
  public LateBinder(
      NodeLoadTracker loads, SwitchingSelector selector, LongSupplier nanoTime, Delays delays) {
    this.binding = new LateBinding<>(loads, selector, nanoTime, Waiter::wake);
    this.delays = delays;
  }

  /** Who waits. */
  private record Waiter(
      RequestContext context, Consumer<Binding> bound, LateBinding<Waiter> binding) {
    static void wake(Place<Waiter> place) {
      place.request().wakeHome(place);
    }

    private void wakeHome(Place<Waiter> place) {
      try {
        context.later(() -> bound.accept(new Held(binding, place, place.copy())));
      } catch (RuntimeException closing) {
        binding.leave(place); // nobody is left at home
      }
    }
  }

  /** A place, and the copy that it had when it was told of. */
  private record Held(LateBinding<Waiter> binding, Place<Waiter> place, @Nullable ShardCopy copy)
      implements Binding {
    @Override
    public @Nullable String nodeId() {
      return copy == null ? null : copy.nodeId();
    }

    @Override
    public boolean sending() {
      return binding.sending(place);
    }

    @Override
    public void leave() {
      binding.leave(place);
    }
  }

  @Override
  public Binding bind(Offer offer, RequestContext context, Consumer<Binding> bound) {
    Work work = offer.work();
    Waiter waiter = new Waiter(context, bound, binding);
    Place<Waiter> place =
        binding.offer(
            waiter,
            offer.copies(),
            work.phase(),
            work.costClass(),
            offer.fresh(),
            context.policy());
    ShardCopy copy = place.copyAtOnce(); // asked once: another thread may bind what waits
    if (copy == null) {
      startTicking();
    }
    return new Held(binding, place, copy);
  }

  @Override
  public @Nullable String now(Offer offer, RequestPolicy policy, Predicate<String> may) {
    Work work = offer.work();
    ShardCopy copy = binding.now(offer.copies(), work.phase(), work.costClass(), policy, may);
    return copy == null ? null : copy.nodeId();
  }

  private void startTicking() {
    if (ticking.compareAndSet(false, true)) {
      delays.after(TICK, DIRECT, this::tick);
    }
  }

  /** Runs where the timers do, on an event loop: nothing that it does waits. */
  private static final Executor DIRECT = Runnable::run;

  private void tick() {
    ticking.set(false);
    binding.tick();
    if (binding.waiting() > 0) {
      startTicking();
    }
  }

  /** Moves what waits for nodes that are not named to its other copies. */
  public void retainOnly(Set<String> nodeIds) {
    binding.retainOnly(nodeIds);
  }

  /** How many requests wait. */
  public int waiting() {
    return binding.waiting();
  }

  /** What became of requests so far. */
  public LateBinding.Totals totals() {
    return binding.totals();
  }
}
