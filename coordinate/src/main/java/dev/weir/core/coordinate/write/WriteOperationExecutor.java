package dev.weir.core.coordinate.write;

import dev.weir.cluster.ClusterView;
import dev.weir.core.coordinate.ClusterChangeWaiter;
import dev.weir.core.coordinate.CoordinationServices;
import dev.weir.core.coordinate.NodeSender;
import dev.weir.core.coordinate.flow.WriteFlowController;
import dev.weir.core.coordinate.flow.WriteRetryBackoff;
import dev.weir.core.coordinate.write.WriteOperation.UncertaintyReason;
import dev.weir.model.HttpStatus;
import dev.weir.model.RequestContext;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.ReplyFrame;
import dev.weir.protocol.ReplyHandler;
import java.time.Duration;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Carries out one operation of a write, once: finds the node, reserves the operation's bytes there,
 * sends, and decides after a failure.
 *
 * <pre>
 *            +------- a new view, or the end of a backoff ----+
 *            v                                                |
 *   route --Node--> reserve --> sent --not sent, uncertain--> waiting --timeout---------> failed
 *     |  \                       |  \--rejected, in part---> backing off --no retry left-> failed
 *     |   \                      |   \--stale--> new view: returned to planning; same view: failed
 *     |   RetryLater ------------|--------------------------> waiting
 *   Rejected, Missing            +--reply--> answered; final error--> failed
 *                                +--timeout, malformed, no memory for the reply--> uncertain
 * </pre>
 *
 * An operation that a node may have done is retried only as far as {@link
 * WriteOperation#prepareRetry} allows, and ends as uncertain where it would have failed; after a
 * timeout it is never retried. While it waits or backs off it holds no capacity on any node.
 * Confined to the request's event loop.
 */
final class WriteOperationExecutor<R> implements ReplyHandler<R> {

  private final CoordinationServices environment;
  private final Supplier<NodeSender> sender;
  private final RequestContext context;
  private final WriteOperation<R> operation;
  private final Runnable onEnd;
  private final ClusterChangeWaiter viewWaiter;
  private final NodeByteReservation byteReservation;
  private final WriteRetryBackoff backoff;
  private @Nullable ClusterView view;

  /** Why a node rejected all of it, during the backoff after that. */
  private @Nullable Exception nodeRejection;

  private boolean viewConfirmed;
  private boolean inFlight;
  private boolean possiblyExecuted;
  private boolean ended;

  /**
   * Prepares an operation.
   *
   * @param sender returns what sends an attempt, at that moment
   * @param onOver runs once when the operation was answered, failed or was returned to planning
   */
  WriteOperationExecutor(
      CoordinationServices environment,
      Supplier<NodeSender> sender,
      RequestContext context,
      WriteOperation<R> part,
      Runnable onOver) {
    this.environment = environment;
    this.sender = sender;
    this.context = context;
    this.operation = part;
    this.onEnd = onOver;
    this.viewWaiter = new ClusterChangeWaiter(environment, context, part.waitTimeout());
    this.byteReservation = new NodeByteReservation(environment, context);
    this.backoff = environment.writeFlow().newBackoff();
  }

  void start(ClusterView planned) {
    route(planned);
  }

  private void route(ClusterView current) {
    view = current;
    switch (operation.target(current)) {
      case WriteTarget.Node(String nodeId) ->
          byteReservation.reserve(
              nodeId, operation.bytes(), viewWaiter.remainingNanos(), reservationListener(nodeId));
      case WriteTarget.RetryLater(Exception reason) -> retryOnNextView(reason, false);
      case WriteTarget.Rejected(Exception reason) -> confirmView(reason);
      case WriteTarget.Missing() ->
          replan(
              new IllegalStateException(
                  "the index was deleted before the operation was sent (expected: present until"
                      + " then)"));
    }
  }

  private NodeByteReservation.ReservationListener reservationListener(String nodeId) {
    return new NodeByteReservation.ReservationListener() {
      @Override
      public void onReserved(boolean waited) {
        if (waited && hasMovedFrom(nodeId)) {
          byteReservation.release();
          route(plannedView());
        } else {
          send(nodeId);
        }
      }

      @Override
      public void onTimeout(Exception reason) {
        failUnretryable(reason);
      }
    };
  }

  /** Whether the newest view sends it to another node, or nowhere. */
  private boolean hasMovedFrom(String nodeId) {
    ClusterView now = environment.views().current();
    if (now.hasSameState(plannedView())) {
      return false;
    }
    view = now;
    return !(operation.target(now) instanceof WriteTarget.Node(String other))
        || !other.equals(nodeId);
  }

  private void send(String nodeId) {
    inFlight = true;
    nodeRejection = null;
    sender
        .get()
        .send(nodeId, operation.work(), operation.call(), context, operation.loadFeedback(), this);
  }

  @Override
  public void onReply(R reply, ReplyFrame frame) {
    if (ended) {
      return; // the deadline has passed
    }
    inFlight = false;
    byteReservation.onReply();
    Exception left = operation.onReply(reply, frame);
    if (left == null || !scheduleRetry(WriteFlowController.RetryReason.REJECTED_ITEMS)) {
      finish();
    }
  }

  /** Ends the operation at the request's deadline, after its call was forgotten. */
  void onDeadlineExpired() {
    if (!ended) {
      ended = true;
      byteReservation.release();
      boolean unknown = inFlight || possiblyExecuted;
      if (nodeRejection != null && !unknown) {
        operation.onFailure(nodeRejection);
      } else {
        operation.onDeadlineExpired(unknown);
      }
    }
  }

  private void finish() {
    ended = true;
    byteReservation.release();
    onEnd.run();
  }

  @Override
  public void onFailure(NodeCallException failure) {
    if (ended) {
      return;
    }
    Exception reason = failure.exception();
    inFlight = false;
    if (failure.kind() == NodeCallException.Kind.REMOTE) {
      onFailureClassified(operation.classify(reason), reason);
      return;
    }
    byteReservation.release();
    switch (failure.kind()) {
      case NOT_SENT -> {
        if (failure.status() != HttpStatus.TOO_MANY_REQUESTS) {
          retryOnNextView(reason, true);
        } else if (!scheduleRetry(WriteFlowController.RetryReason.NOT_SENT)) {
          failUnretryable(reason);
        }
      }
      case CONNECTION_LOST -> retryPossiblyExecuted(reason);
      case TIMED_OUT -> reportUncertain(UncertaintyReason.NO_RESPONSE, reason);
      case MALFORMED -> reportUncertain(UncertaintyReason.UNREADABLE_RESPONSE, reason);
      case OVER_BUDGET -> reportUncertain(UncertaintyReason.NO_MEMORY_FOR_RESPONSE, reason);
      case REMOTE ->
          throw new IllegalStateException(
              "got a failure of the node (expected: WriteFailureClassifier has decided on it)");
    }
  }

  private void onFailureClassified(WriteOperation.FailureClass verdict, Exception reason) {
    switch (verdict) {
      case REJECTED -> byteReservation.onRejected(operation.reportedByteLimit(reason));
      case REJECTED_DURING_EXECUTION, FINAL, UNCERTAIN, NOT_READY, STALE_VIEW ->
          byteReservation.onReply();
    }
    switch (verdict) {
      case FINAL -> {
        if (possiblyExecuted) {
          reportUncertain(UncertaintyReason.RETRY_FAILED, reason);
        } else {
          fail(reason);
        }
      }
      case UNCERTAIN -> retryPossiblyExecuted(reason);
      case NOT_READY -> retryOnNextView(reason, true);
      case STALE_VIEW -> onStaleView(reason);
      case REJECTED -> onRejected(reason);
      case REJECTED_DURING_EXECUTION -> {
        if (operation.prepareRetry(reason)) {
          onRejected(reason);
        } else {
          finish();
        }
      }
    }
  }

  private void onRejected(Exception reason) {
    nodeRejection = reason;
    if (!scheduleRetry(WriteFlowController.RetryReason.REJECTED)) {
      failUnretryable(reason);
    }
  }

  /** Retries after a backoff; returns whether a retry is allowed. */
  private boolean scheduleRetry(WriteFlowController.RetryReason reason) {
    long left = context.deadline().remainingNanos(environment.nanoClock().getAsLong());
    Duration pause = backoff.nextDelay(Math.min(left, viewWaiter.remainingNanos()));
    if (pause == null) {
      environment.writeFlow().recordRejection();
      return false;
    }
    environment.writeFlow().recordRetry(reason);
    environment.scheduler().schedule(pause, context::runLater, this::retry);
    return true;
  }

  private void retry() {
    if (!ended && context.cancelReason() == null) {
      route(environment.views().current());
    }
  }

  /** Fails an operation that can't be retried; an earlier attempt may have been done. */
  private void failUnretryable(Exception reason) {
    if (possiblyExecuted) {
      reportUncertain(UncertaintyReason.ATTEMPT_LOST, reason);
    } else {
      fail(reason);
    }
  }

  private void reportUncertain(UncertaintyReason reason, Exception cause) {
    operation.onUncertain(reason, cause);
    finish();
  }

  private void retryPossiblyExecuted(Exception reason) {
    possiblyExecuted = true;
    if (operation.prepareRetry(reason)) {
      retryOnNextView(reason, true);
    } else {
      finish();
    }
  }

  private void retryOnNextView(Exception reason, boolean sameViewWillDo) {
    if (viewWaiter.isExpired()) {
      failUnretryable(reason);
    } else {
      viewWaiter.awaitNextView(plannedView(), sameViewWillDo, this::route);
    }
  }

  /** Reads the view again once before the client gets an error that the view causes. */
  private void confirmView(Exception reason) {
    if (viewConfirmed) {
      failUnretryable(reason);
    } else {
      viewConfirmed = true;
      refreshView((before, now) -> route(now));
    }
  }

  /** Handles a node that does not know what the view says it has: one of them lags. */
  private void onStaleView(Exception reason) {
    refreshView((before, now) -> {
      if (now.hasSameState(before)) {
        failUnretryable(reason);
      } else {
        replan(reason);
      }
    });
  }

  private void refreshView(BiConsumer<ClusterView, ClusterView> then) {
    ClusterView before = plannedView();
    environment
        .views()
        .refresh(before)
        .thenAcceptAsync(
            now -> {
              if (context.cancelReason() == null) {
                then.accept(before, now);
              }
            },
            context::runLater);
  }

  private void fail(Exception reason) {
    operation.onFailure(reason);
    finish();
  }

  private void replan(Exception reason) {
    operation.onReplan(reason, possiblyExecuted);
    finish();
  }

  private ClusterView plannedView() {
    if (view == null) {
      throw new IllegalStateException("got a failure before a view (expected: start first)");
    }
    return view;
  }
}
