package dev.weir.core.actions;

import dev.weir.core.coordinate.CoordinationTimers;
import dev.weir.model.MemoryRejection;
import dev.weir.model.MemoryWait;
import dev.weir.model.PassThroughException;
import dev.weir.model.RequestContext;
import dev.weir.model.RequestMemory.Category;
import dev.weir.rest.PassThroughReasons;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.SearchPhaseExecutionException;
import org.opensearch.action.search.SearchResponse;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.common.breaker.CircuitBreakingException;
import org.opensearch.core.tasks.TaskCancelledException;

/**
 * A search that waits when the gateway has no memory for it, and then runs again. An attempt that
 * failed has released all its memory, so a waiting search holds none. If no memory becomes free in
 * time, or if the search needs more than it may ever hold, it passes through to a node; otherwise
 * it is refused. Confined to the request's event loop.
 */
final class MemoryWaitingSearch implements ActionListener<SearchResponse> {
  /** A search that is refused more often than this gives up. */
  private static final int MAX_ATTEMPTS = 4;

  private final CoordinationTimers timers;
  private final RequestContext context;
  private final MemoryWait wait;
  private final Attempt attempt;
  private final ActionListener<SearchResponse> listener;
  private Runnable timerCanceller = () -> {};
  private int attempts;
  private long waitUntilNanos;
  private boolean isWaiting;
  private @Nullable Exception refusal;

  /** Runs the search once. */
  @FunctionalInterface
  interface Attempt {
    /**
     * Runs the search.
     *
     * @param isFirst whether it did not run before; further runs need other task ids
     */
    void run(boolean isFirst, ActionListener<SearchResponse> listener);
  }

  private MemoryWaitingSearch(
      CoordinationTimers timers,
      RequestContext context,
      MemoryWait wait,
      Attempt attempt,
      ActionListener<SearchResponse> listener) {
    this.timers = timers;
    this.context = context;
    this.wait = wait;
    this.attempt = attempt;
    this.listener = listener;
  }

  /** Runs a search, more than once if it has to wait for memory. */
  static void start(
      CoordinationTimers timers,
      RequestContext context,
      Attempt attempt,
      ActionListener<SearchResponse> listener) {
    MemoryWait wait = context.isInternal() ? null : context.resources().memoryWait();
    if (wait == null) {
      attempt.run(true, listener);
      return;
    }
    new MemoryWaitingSearch(timers, context, wait, attempt, listener).runFirst();
  }

  /** Returns whether the gateway had no memory for a search. */
  static boolean isMemoryRejection(Exception failure) {
    return failure instanceof CircuitBreakingException
        || (failure instanceof SearchPhaseExecutionException search
            && search.getCause() instanceof CircuitBreakingException
            && search.shardFailures().length == 0); // nodes' breakers fail shards
  }

  private void runFirst() {
    wait.deferRejections();
    attempts = 1;
    attempt.run(true, this);
  }

  @Override
  public void onResponse(SearchResponse response) {
    try {
      listener.onResponse(response);
    } finally {
      wait.releaseUnused();
    }
  }

  @Override
  public void onFailure(Exception failure) {
    wait.releaseUnused();
    if (context.cancelReason() != null || !isMemoryRejection(failure)) {
      wait.reportRejection();
      listener.onFailure(failure);
      return;
    }
    refusal = failure;
    Duration left = remainingWait();
    isWaiting = true;
    if (attempts < MAX_ATTEMPTS
        && left.isPositive()
        && wait.start(() -> context.runLater(this::onGranted))) {
      timerCanceller =
          timers
              .scheduler()
              .scheduleCancellable(
                  left, context.eventLoop(), () -> context.run(this::onWaitTimeout));
    } else {
      giveUp();
    }
  }

  private Duration remainingWait() {
    long now = timers.nanoClock().getAsLong();
    if (attempts == 1) {
      long most = wait.maxWait().toNanos();
      if (context.deadline().isSet()) {
        most = Math.min(most, context.deadline().remainingNanos(now) / 2); // the rest is for a node
      }
      waitUntilNanos = now + most;
      context.onCancel(this::onCancelled);
      context.onEnd(this::onEnd);
    }
    return Duration.ofNanos(waitUntilNanos - now);
  }

  private void onGranted() {
    if (!isWaiting) {
      wait.releaseUnused();
      return;
    }
    isWaiting = false;
    timerCanceller.run();
    attempts++;
    try {
      attempt.run(false, this);
    } catch (RuntimeException failure) {
      onFailure(failure);
    }
  }

  private void onWaitTimeout() {
    if (isWaiting && wait.stop()) {
      giveUp();
    }
  }

  private void onCancelled() {
    if (isWaiting) {
      isWaiting = false;
      timerCanceller.run();
      wait.stop();
      wait.releaseUnused();
      Exception cancelled = new TaskCancelledException(String.valueOf(context.cancelReason()));
      context.runLater(() -> listener.onFailure(cancelled)); // a passed deadline answers first
    }
  }

  private void onEnd() {
    isWaiting = false;
    timerCanceller.run();
    wait.stop();
    wait.releaseUnused();
  }

  private void giveUp() {
    isWaiting = false;
    timerCanceller.run();
    Exception refused = refusal;
    if (refused == null) {
      throw new IllegalStateException("got no refusal (expected: a search that was refused)");
    }
    if (wait.mayPassThrough() && !grewInReduction(wait.lastRejection())) {
      listener.onFailure(new PassThroughException(PassThroughReasons.MEMORY, refused));
    } else {
      wait.reportRejection();
      listener.onFailure(refused);
    }
  }

  /** Returns whether the request itself asks for too many buckets: they would fill a node, too. */
  private static boolean grewInReduction(@Nullable MemoryRejection rejection) {
    return rejection != null && rejection.permanent() && rejection.category() == Category.REDUCTION;
  }
}
