package dev.weir.gateway.coordinate;

import dev.weir.model.RequestContext;
import dev.weir.model.ShardCopy;
import dev.weir.model.Work;
import dev.weir.routing.LateBinding;
import dev.weir.routing.NodeLoadTracker;
import dev.weir.routing.Place;
import dev.weir.routing.SwitchingSelector;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Binds requests late, by the policy in force: see {@link LateBinding}. Whatever makes room, on
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
        context.later(() -> bound.accept(new Held(binding, place)));
      } catch (RuntimeException closing) {
        binding.leave(place); // nobody is left at home
      }
    }
  }

  private record Held(LateBinding<Waiter> binding, Place<Waiter> place) implements Binding {
    @Override
    public @Nullable String nodeId() {
      ShardCopy copy = place.copy();
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
  public Binding bind(
      List<ShardCopy> copies, Work work, RequestContext context, Consumer<Binding> bound) {
    Waiter waiter = new Waiter(context, bound, binding);
    Place<Waiter> place = binding.offer(waiter, copies, work.phase(), work.costClass());
    if (place.copy() == null) {
      startTicking();
    }
    return new Held(binding, place);
  }

  private void startTicking() {
    if (ticking.compareAndSet(false, true)) {
      delays.after(TICK, DIRECT, this::tick);
    }
  }

  /** Runs on a timer's thread: nothing that it does waits. */
  private static final Executor DIRECT = Runnable::run;

  private void tick() {
    ticking.set(false);
    binding.tick();
    if (binding.waiting() > 0) {
      startTicking();
    }
  }

  /** The policy has changed: where it binds late no more, nothing waits after this. */
  public void policyChanged() {
    binding.tick();
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
