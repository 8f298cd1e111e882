package dev.weir.core.coordinate;

import dev.weir.cluster.ClusterView;
import dev.weir.model.RequestContext;
import dev.weir.protocol.Backoff;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * The patience of one piece of work: waits for the cluster to change, within the request's own
 * timeout, and after that allows one last attempt, as a node's ClusterStateObserver does. The view
 * is read again at once, then after 20 ms, doubling up to a second. Confined to the request's home;
 * once the request is cancelled nothing is called any more.
 */
final class ClusterChangeWaiter {
  private static final Backoff BACKOFF =
      new Backoff(Duration.ofMillis(20), 2, Duration.ofSeconds(1));

  private final CoordinationServices environment;
  private final RequestContext context;
  private final long deadlineNanos;
  private int rounds;
  private boolean expired;

  ClusterChangeWaiter(CoordinationServices environment, RequestContext context, Duration timeout) {
    this.environment = environment;
    this.context = context;
    this.deadlineNanos = environment.nanoClock().getAsLong() + timeout.toNanos();
  }

  /** Whether the last attempt was given out: who fails now fails for good. */
  boolean isExpired() {
    return expired;
  }

  /** What is left of the patience, nanoseconds; 0 or less when it is over. */
  long remainingNanos() {
    return expired ? 0 : deadlineNanos - environment.nanoClock().getAsLong();
  }

  /** Ends the patience now. */
  void expire() {
    expired = true;
  }

  /**
   * Gives the next view to try.
   *
   * @param stale the view that did not do
   * @param sameWillDo whether another attempt with an unchanged view makes sense, because it was
   *     the connection that failed
   */
  void awaitNextView(ClusterView stale, boolean sameWillDo, Consumer<ClusterView> then) {
    long leftNanos = deadlineNanos - environment.nanoClock().getAsLong();
    if (leftNanos <= 0) {
      expired = true;
      then.accept(environment.views().current());
      return;
    }
    long pauseNanos = Math.min(leftNanos, BACKOFF.delayNanos(rounds));
    rounds++;
    if (pauseNanos == 0) {
      refresh(stale, sameWillDo, then);
    } else {
      environment
          .scheduler()
          .schedule(
              Duration.ofNanos(pauseNanos),
              context::runLater,
              () -> refresh(stale, sameWillDo, then));
    }
  }

  private void refresh(ClusterView stale, boolean sameWillDo, Consumer<ClusterView> then) {
    if (context.cancelReason() != null) {
      return;
    }
    environment
        .views()
        .refresh(stale)
        .thenAcceptAsync(
            view -> {
              if (context.cancelReason() == null) {
                if (sameWillDo || !view.hasSameState(stale)) {
                  then.accept(view);
                } else {
                  awaitNextView(stale, false, then);
                }
              }
            },
            context::runLater);
  }
}
