package dev.weir.core.coordinate.write;

import dev.weir.cluster.ClusterView;
import dev.weir.core.coordinate.ClusterChangeWaiter;
import dev.weir.core.coordinate.CoordinationServices;
import dev.weir.core.coordinate.NodeSender;
import dev.weir.core.coordinate.write.WriteWork.ViewFreshness;
import dev.weir.model.PassThroughException;
import dev.weir.model.RequestContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Carries out one write: plans it by a view, runs what must come first, keeps the operations of all
 * shards in flight at once, and plans again what the cluster's changes returned.
 *
 * <pre>
 *   Planning --ConfirmView, AwaitNewerView, RetryLater--> waiting for a view --> Planning
 *   Planning --RunFirst--> Preparing --all ended--> Planning
 *   Planning --Send, after preparation, perhaps after waiting for admission--> Sending
 *   Sending --all ended--> nothing returned: Done, else Planning
 *   Planning --Fail--> Done
 *   any state --the deadline passes--> Done
 * </pre>
 *
 * Confined to the request's event loop. Stops where it is when the request is cancelled.
 */
public final class WriteCoordinator {
  /** How often a write is planned again after it was sent, before its remaining operations fail. */
  private static final int MAX_PLANS_AFTER_SENDING = 3;

  /** How long a view may lag behind what the cluster has acknowledged. */
  private static final Duration MAX_CATCH_UP = Duration.ofSeconds(30);

  private final CoordinationServices environment;
  private final RequestContext context;
  private final WriteWork work;
  private final WriteAdmission admission;
  private ClusterChangeWaiter viewWaiter;
  private ClusterChangeWaiter catchUpWaiter;

  /** Sends attempts; collects them while operations start. */
  private NodeSender sender;

  private State state = new Planning();
  private ViewFreshness freshness = ViewFreshness.CACHED;
  private int plansAfterSending;
  private boolean sent;

  private sealed interface State {}

  private record Planning() implements State {}

  private record Waiting() implements State {}

  private static final class Running implements State {
    final boolean sending;
    final List<WriteOperationExecutor<?>> calls;
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

  /** Coordinates one write. */
  public WriteCoordinator(
      CoordinationServices environment, RequestContext context, WriteWork work) {
    this.environment = environment;
    this.context = context;
    this.work = work;
    this.sender = environment.sender();
    this.admission = new WriteAdmission(environment.admissionGate(), context);
    this.viewWaiter = new ClusterChangeWaiter(environment, context, work.waitTimeout());
    this.catchUpWaiter = new ClusterChangeWaiter(environment, context, MAX_CATCH_UP);
  }

  /**
   * Starts the write. Calls one of {@code onFinished}, {@code onFailure} and {@code
   * onDeadlineExpired} of the work, once, unless the request is cancelled before.
   */
  public void start() {
    context.onExpiry(this::onDeadlineExpired);
    plan(environment.views().current());
  }

  /** Fails what has no reply when the deadline passes, and sends nothing more. */
  private void onDeadlineExpired() {
    if (state instanceof Done) {
      return;
    }
    if (state instanceof Running running) {
      running.calls.forEach(WriteOperationExecutor::onDeadlineExpired);
    }
    state = new Done();
    work.onDeadlineExpired();
  }

  private void plan(ClusterView view) {
    state = new Planning();
    WriteStep step;
    try {
      step = work.plan(view, isFinalAttempt() ? ViewFreshness.FINAL_ATTEMPT : freshness);
    } catch (RuntimeException e) {
      fail(e);
      return;
    }
    switch (step) {
      case WriteStep.ConfirmView() -> confirm(view);
      case WriteStep.AwaitNewerView() -> {
        state = new Waiting();
        catchUpWaiter.awaitNextView(view, false, this::plan);
      }
      case WriteStep.RetryLater(Exception cause) -> retryLater(view, cause);
      case WriteStep.RunFirst(List<? extends WriteOperation<?>> parts) -> run(parts, false, view);
      case WriteStep.Send(List<? extends WriteOperation<?>> parts) -> {
        state = new Waiting();
        prepare(parts, view);
      }
      case WriteStep.Fail(Exception cause) -> fail(cause);
    }
  }

  private boolean isFinalAttempt() {
    return viewWaiter.isExpired() || catchUpWaiter.isExpired();
  }

  private void confirm(ClusterView view) {
    state = new Waiting();
    freshness = ViewFreshness.CONFIRMED;
    environment
        .views()
        .refresh(view)
        .thenAcceptAsync(
            now -> {
              if (context.cancelReason() == null) {
                plan(now);
              }
            },
            context::runLater);
  }

  private void retryLater(ClusterView view, Exception cause) {
    if (isFinalAttempt()) {
      fail(cause);
    } else {
      state = new Waiting();
      viewWaiter.awaitNextView(view, false, this::plan);
    }
  }

  /** Has the request prepare its write before the first operations are sent. */
  private void prepare(List<? extends WriteOperation<?>> parts, ClusterView view) {
    if (sent || parts.isEmpty()) {
      send(parts, view);
      return;
    }
    context
        .resources()
        .writePreparation()
        .prepare(
            () -> {
              if (state instanceof Waiting && context.cancelReason() == null) {
                send(parts, view);
              }
            },
            cause -> {
              if (state instanceof Waiting && context.cancelReason() == null) {
                fail(cause);
              }
            });
  }

  private void send(List<? extends WriteOperation<?>> parts, ClusterView view) {
    admission.requestAdmission(parts, view, () -> run(parts, true, view), this::fail);
  }

  private void run(List<? extends WriteOperation<?>> parts, boolean sending, ClusterView view) {
    if (parts.isEmpty()) {
      finish();
      return;
    }
    sent |= sending;
    Running running = new Running(sending, parts.size());
    state = running;
    for (WriteOperation<?> part : parts) {
      running.calls.add(
          new WriteOperationExecutor<>(
              environment, () -> sender, context, part, () -> onOperationEnd(running)));
    }
    sendTogether(running.calls, view);
  }

  /**
   * Starts operations so that those to one node can travel together. What is retried, or has to
   * wait for its node, goes by itself later.
   */
  private void sendTogether(List<WriteOperationExecutor<?>> calls, ClusterView view) {
    NodeSender.CallBatch batch = calls.size() > 1 ? environment.sender().startBatch(0) : null;
    if (batch != null) {
      sender = batch.sender();
    }
    try {
      for (WriteOperationExecutor<?> call : calls) {
        call.start(view);
      }
    } finally {
      sender = environment.sender();
      if (batch != null) {
        batch.flush().run();
      }
    }
  }

  private void onOperationEnd(Running running) {
    if (state != running) {
      throw new IllegalStateException(
          "got the end of an operation that is not in flight (expected: one in flight)");
    }
    if (--running.left > 0) {
      return;
    }
    if (!running.sending) {
      // both timeouts count from here, as on a node
      viewWaiter = new ClusterChangeWaiter(environment, context, work.waitTimeout());
      catchUpWaiter = new ClusterChangeWaiter(environment, context, MAX_CATCH_UP);
    } else if (++plansAfterSending > MAX_PLANS_AFTER_SENDING) {
      viewWaiter.expire();
    }
    plan(environment.views().current());
  }

  private void finish() {
    state = new Done();
    work.onFinished();
  }

  private void fail(Exception cause) {
    state = new Done();
    work.onFailure(sent && cause instanceof PassThroughException ? replanFailure(cause) : cause);
  }

  /** A node would repeat what was done, so a write that was sent is no longer passed through. */
  private static Exception replanFailure(Exception cause) {
    return new IllegalStateException(
        "parts of the write were sent, and then it could not be planned again: got a reason to pass"
            + " through: "
            + cause.getMessage()
            + " (expected: none after the first part; check which documents were written before you"
            + " send them again)");
  }
}
