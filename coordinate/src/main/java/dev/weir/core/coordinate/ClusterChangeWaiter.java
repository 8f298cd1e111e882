package dev.weir.core.coordinate;

import dev.weir.cluster.ClusterView;
import dev.weir.model.RequestContext;
import dev.weir.protocol.Backoff;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * Waits for the cluster to change on behalf of one write operation, within the request's own
 * timeout, and then allows one last attempt, as a node's ClusterStateObserver does. Reads the view
 * at once, then after 20 ms, doubling up to one second. Confined to the request's event loop; never
 * calls back after the request was cancelled.
 */
public final class ClusterChangeWaiter {
  private static final Backoff BACKOFF =
      new Backoff(Duration.ofMillis(20), 2, Duration.ofSeconds(1));

  private final CoordinationServices environment;
  private final RequestContext context;
  private final long deadlineNanos;
  private int rounds;
  private boolean expired;

  public ClusterChangeWaiter(
      CoordinationServices environment, RequestContext context, Duration timeout) {
    this.environment = environment;
    this.context = context;
    this.deadlineNanos = environment.nanoClock().getAsLong() + timeout.toNanos();
  }

  /** Whether the last attempt was handed out, so that the next failure is final. */
  public boolean isExpired() {
    return expired;
  }

  /** The remaining time in nanoseconds; 0 or less when none is left. */
  public long remainingNanos() {
    return expired ? 0 : deadlineNanos - environment.nanoClock().getAsLong();
  }

  /** Ends the wait now. */
  public void expire() {
    expired = true;
  }

  /**
   * Hands out the next view to try.
   *
   * @param stale the view that failed
   * @param sameWillDo whether to try again with an unchanged view, because only the connection
   *     failed
   */
  public void awaitNextView(ClusterView stale, boolean sameWillDo, Consumer<ClusterView> then) {
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
