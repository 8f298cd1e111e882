package dev.weir.core.coordinate;

import dev.weir.cluster.ClusterView;
import dev.weir.core.coordinate.WriteWork.Certainty;
import dev.weir.model.PassThroughException;
import dev.weir.model.RequestContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Carries one write out: plans it by a view, does first what must come first, has every shard's
 * piece in flight at once, and plans anew what the cluster's changes gave back.
 *
 * <pre>
 *   Planning --Confirm, CatchUp, NotYet--> waiting for a view --> Planning
 *   Planning --First--> Preparing --all over--> Planning
 *   Planning --Send, perhaps after a wait to be let in--> Sending
 *   Sending --all over--> nothing given back: Done, else Planning
 *   Planning --Fail--> Done
 *   any --the deadline passes--> Done
 * </pre>
 *
 * Confined to the request's home. When the request is cancelled it stops where it is.
 */
public final class WriteCoordinator {
  /** How often pieces may come back before what is left fails. */
  private static final int MOST_PLANS_AFTER_SENDING = 3;

  /** How long a view may stay behind what the cluster has acknowledged. */
  private static final Duration LONGEST_CATCH_UP = Duration.ofSeconds(30);

  private final Environment environment;
  private final RequestContext context;
  private final WriteWork work;
  private final WriteEntrance entrance;
  private ViewWait wait;
  private ViewWait catchUp;
  private State state = new Planning();
  private Certainty certainty = Certainty.CACHED;
  private int plansAfterSending;
  private boolean sent;

  private sealed interface State {}

  private record Planning() implements State {}

  private record Waiting() implements State {}

  private static final class Running implements State {
    final boolean sending;
    final List<PartCall<?>> calls;
    int left;

    Running(boolean sending, int left) {
      this.sending = sending;
      this.calls = new ArrayList<>(left);
      this.left = left;
    }

    @Override
    public String toString() {
      return "Running[left=" + left + "]";
    }
  }

  private record Done() implements State {}

  /** Makes a coordinator of one write. */
  public WriteCoordinator(Environment environment, RequestContext context, WriteWork work) {
    this.environment = environment;
    this.context = context;
    this.work = work;
    this.entrance = new WriteEntrance(environment.gate(), context);
    this.wait = new ViewWait(environment, context, work.patience());
    this.catchUp = new ViewWait(environment, context, LONGEST_CATCH_UP);
  }

  /** Starts; the work hears {@code finished} or {@code failed} once. */
  public void start() {
    if (context.deadline().exists()) {
      context.onExpiry(this::expire);
    }
    plan(environment.views().current());
  }

  /** The deadline has passed: what was not answered is told so, and nothing more is sent. */
  private void expire() {
    if (state instanceof Done) {
      return;
    }
    if (state instanceof Running running) {
      running.calls.forEach(PartCall::expire);
    }
    state = new Done();
    work.expired();
  }

  private void plan(ClusterView view) {
    state = new Planning();
    WriteStep step;
    try {
      step = work.plan(view, isLast() ? Certainty.LAST : certainty);
    } catch (RuntimeException e) {
      fail(e);
      return;
    }
    switch (step) {
      case WriteStep.Confirm() -> confirm(view);
      case WriteStep.CatchUp() -> {
        state = new Waiting();
        catchUp.next(view, false, this::plan);
      }
      case WriteStep.NotYet(Exception why) -> notYet(view, why);
      case WriteStep.First(List<? extends WritePart<?>> parts) -> run(parts, false, view);
      case WriteStep.Send(List<? extends WritePart<?>> parts) -> {
        state = new Waiting();
        entrance.enter(parts, view, () -> run(parts, true, view), this::fail);
      }
      case WriteStep.Fail(Exception why) -> fail(why);
    }
  }

  private boolean isLast() {
    return wait.isOver() || catchUp.isOver();
  }

  private void confirm(ClusterView view) {
    state = new Waiting();
    certainty = Certainty.CONFIRMED;
    environment
        .views()
        .refresh(view)
        .thenAcceptAsync(
            now -> {
              if (context.cancelReason() == null) {
                plan(now);
              }
            },
            context::later);
  }

  private void notYet(ClusterView view, Exception why) {
    if (isLast()) {
      fail(why);
    } else {
      state = new Waiting();
      wait.next(view, false, this::plan);
    }
  }

  private void run(List<? extends WritePart<?>> parts, boolean sending, ClusterView view) {
    if (parts.isEmpty()) {
      finish();
      return;
    }
    sent |= sending;
    Running running = new Running(sending, parts.size());
    state = running;
    for (WritePart<?> part : parts) {
      running.calls.add(new PartCall<>(environment, context, part, () -> over(running)));
    }
    for (PartCall<?> call : running.calls) {
      call.start(view);
    }
  }

  private void over(Running running) {
    if (state != running) {
      throw new IllegalStateException(
          "got the end of a piece that is not of what runs (expected: one of those under way)");
    }
    if (--running.left > 0) {
      return;
    }
    if (!running.sending) {
      // both count from here, as on a node
      wait = new ViewWait(environment, context, work.patience());
      catchUp = new ViewWait(environment, context, LONGEST_CATCH_UP);
    } else if (++plansAfterSending > MOST_PLANS_AFTER_SENDING) {
      wait.giveUp();
    }
    plan(environment.views().current());
  }

  private void finish() {
    state = new Done();
    work.finished();
  }

  private void fail(Exception why) {
    state = new Done();
    work.failed(sent && why instanceof PassThroughException ? tooLate(why) : why);
  }

  /** A node would do again what was done: what was sent does not pass through any more. */
  private static Exception tooLate(Exception why) {
    return new IllegalStateException(
        "parts of the write were sent, and then it could not be planned again: got a reason to pass"
            + " through: "
            + why.getMessage()
            + " (expected: none after the first part)");
  }
}
