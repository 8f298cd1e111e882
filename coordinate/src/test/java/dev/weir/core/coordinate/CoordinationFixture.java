package dev.weir.core.coordinate;

import dev.weir.model.RequestContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;

/** Fake time, views and nodes, which change only when the test says so. */
public final class CoordinationFixture {
  public final ScriptedAttemptPolicy tail = new ScriptedAttemptPolicy();
  public final ScriptedSelector selector = new ScriptedSelector();
  public final ScriptedAdmissionGate gate = new ScriptedAdmissionGate();
  public final ScriptedSender sender = new ScriptedSender();
  public final ScriptedViews views = new ScriptedViews();
  public final RequestContext context = new RequestContext(Runnable::run, 7, Map.of());
  public final List<Duration> pauses = new ArrayList<>();
  private final List<Runnable> waiting = new ArrayList<>();
  private long nowNanos;

  public final CoordinationServices environment =
      CoordinationServices.create(
          sender,
          views,
          new CoordinationTimers(new ManualTimers(), () -> nowNanos),
          new CopyAttempts(tail, selector),
          NodeCapacity.of(gate));

  /** Timers that fire only when the test says so. */
  private final class ManualTimers implements DelayScheduler {
    @Override
    public void schedule(Duration delay, Executor home, Runnable action) {
      scheduleCancellable(delay, home, action);
    }

    @Override
    public Runnable scheduleCancellable(Duration delay, Executor home, Runnable action) {
      Runnable timer =
          () -> {
            nowNanos += delay.toNanos();
            action.run();
          };
      pauses.add(delay);
      waiting.add(timer);
      return () -> waiting.remove(timer);
    }
  }

  /** Moves the clock without running timers. */
  public void advance(Duration time) {
    nowNanos += time.toNanos();
  }

  /** Ends the oldest pause. */
  public void pass() {
    waiting.removeFirst().run();
  }

  public boolean isWaiting() {
    return !waiting.isEmpty();
  }

  /** Ends pauses until none is left. */
  public void passAll() {
    for (int rounds = 0; isWaiting(); rounds++) {
      if (rounds > 10_000) {
        throw new AssertionError("waits without end");
      }
      pass();
    }
  }
}
