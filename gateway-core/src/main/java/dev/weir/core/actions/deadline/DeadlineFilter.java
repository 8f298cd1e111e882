package dev.weir.core.actions.deadline;

import dev.weir.core.actions.explain.RecentRejections;
import dev.weir.core.actions.explain.Rejection;
import dev.weir.core.coordinate.DelayScheduler;
import dev.weir.core.reduce.items.BulkResponseCollector;
import dev.weir.model.Deadline;
import dev.weir.model.RequestContext;
import dev.weir.rest.ActionExecutor;
import dev.weir.rest.ActionNames;
import dev.weir.rest.ExecutionFilter;
import dev.weir.rest.MultiSearchPartSink;
import dev.weir.rest.PartwiseMultiSearchRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.ActionRequest;
import org.opensearch.action.ActionType;
import org.opensearch.action.bulk.BulkRequest;
import org.opensearch.action.search.MultiSearchRequest;
import org.opensearch.action.search.MultiSearchResponse;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.action.ActionResponse;
import org.opensearch.core.common.breaker.CircuitBreakingException;

/**
 * Carries out actions until their request's deadline. Then it cancels the request, which stops its
 * work on the nodes, and responds with what there is, or with a failure; a bulk or multi-search
 * responds item by item. Safe on any thread.
 */
public final class DeadlineFilter implements ExecutionFilter {
  private final DelayScheduler delays;
  private final LongSupplier nanoClock;
  private final DeadlineCounts counts;
  private final RecentRejections recentRejections;

  /** Creates the filter. */
  public DeadlineFilter(
      DelayScheduler delays,
      LongSupplier nanoClock,
      DeadlineCounts counts,
      RecentRejections refusals) {
    this.recentRejections = refusals;
    this.delays = delays;
    this.nanoClock = nanoClock;
    this.counts = counts;
  }

  @Override
  public <Q extends ActionRequest, R extends ActionResponse> void filter(
      ActionType<R> action,
      Q request,
      RequestContext context,
      ActionListener<R> listener,
      ActionExecutor next) {
    Deadline deadline = context.deadline();
    if (!deadline.isSet()) {
      next.execute(action, request, context, listener);
      return;
    }
    DeadlineListener<R> timed =
        new DeadlineListener<>(context, listener, ActionNames.isWrite(action.name()));
    long left = deadline.remainingNanos(nanoClock.getAsLong());
    if (left <= 0) {
      timed.rejectExpired(request);
      return;
    }
    timed.startTimer(left);
    boolean begun = false;
    try {
      next.execute(action, request, context, timed);
      begun = true;
    } finally {
      if (!begun) {
        timed.cancelTimer();
      }
    }
  }

  /** The response to a request of several parts, all of which failed; null for other requests. */
  private @Nullable ActionResponse failedPartsResponse(ActionRequest request, Exception cause) {
    return switch (request) {
      case BulkRequest bulk -> BulkResponseCollector.failAll(bulk, nanoClock, cause);
      case MultiSearchRequest searches -> failedSearchesResponse(searches, cause);
      default -> null;
    };
  }

  /** The response to a multi-search; null if there is no memory to write the failures. */
  private static @Nullable MultiSearchResponse failedSearchesResponse(
      MultiSearchRequest searches, Exception cause) {
    MultiSearchResponse.Item failed = new MultiSearchResponse.Item(null, cause);
    MultiSearchPartSink writer = PartwiseMultiSearchRequest.writerOf(searches);
    if (writer == null) {
      MultiSearchResponse.Item[] items = new MultiSearchResponse.Item[searches.requests().size()];
      Arrays.fill(items, failed);
      return new MultiSearchResponse(items, 0);
    }
    try {
      for (int part = 0; part < searches.requests().size(); part++) {
        writer.write(part, failed);
      }
    } catch (IOException | CircuitBreakingException unwritten) {
      cause.addSuppressed(unwritten);
      return null;
    }
    return writer.toResponse(0);
  }

  /** One action with a deadline. Confined to its request's event loop. */
  private final class DeadlineListener<R> implements ActionListener<R> {
    private final RequestContext context;
    private final ActionListener<R> listener;
    private final boolean write;
    private Runnable timerCanceller = () -> {};
    private boolean expired;
    private boolean ended;

    DeadlineListener(RequestContext context, ActionListener<R> listener, boolean write) {
      this.context = context;
      this.listener = listener;
      this.write = write;
    }

    void startTimer(long leftNanos) {
      timerCanceller =
          delays.scheduleCancellable(
              Duration.ofNanos(leftNanos),
              context.eventLoop(),
              () -> context.run(this::onDeadlineExpired));
      context.setDeadlineExceededHandler(this::onDeadlineExpired);
      context.onEnd(timerCanceller);
    }

    void cancelTimer() {
      timerCanceller.run();
    }

    @SuppressWarnings("unchecked") // the response has the type of such a request
    void rejectExpired(ActionRequest request) {
      ended = true;
      count(DeadlineCounts.DeadlineOutcome.EXPIRED_ON_ARRIVAL);
      Exception late = failure(DeadlineExceededException.WriteState.NOT_WRITTEN);
      recordRejection(false, late);
      ActionResponse parts = failedPartsResponse(request, late);
      if (parts == null) {
        listener.onFailure(late);
      } else {
        listener.onResponse((R) parts);
      }
    }

    private void onDeadlineExpired() {
      if (ended) {
        return;
      }
      expired = true;
      context.expire("the deadline of " + context.deadline() + " has passed");
      Exception late = failure(DeadlineExceededException.WriteState.UNKNOWN);
      recordRejection(true, late);
      onFailure(late);
    }

    private void count(DeadlineCounts.DeadlineOutcome end) {
      if (!context.isInternal()) {
        counts.increment(end);
      }
    }

    private void recordRejection(boolean begun, Exception late) {
      if (context.isInternal()) {
        return;
      }
      recentRejections.add(
          RecentRejections.RequestIdentity.of(context),
          Rejection.ofDeadline(context.deadline(), begun, String.valueOf(late.getMessage())));
    }

    private Exception failure(DeadlineExceededException.WriteState done) {
      return write
          ? DeadlineExceededException.forWrite(context.deadline(), done)
          : DeadlineExceededException.forRead(context.deadline());
    }

    @Override
    public void onResponse(R response) {
      if (end()) {
        listener.onResponse(response);
      }
    }

    @Override
    public void onFailure(Exception failure) {
      if (!ended && !expired && !write && context.deadline().hasPassed(nanoClock.getAsLong())) {
        onDeadlineExpired(); // the timer is late: a call was not sent because of the deadline,
        // and that failed
      } else if (end()) {
        listener.onFailure(failure);
      }
    }

    private boolean end() {
      if (ended) {
        return false;
      }
      ended = true;
      timerCanceller.run();
      count(expired ? DeadlineCounts.DeadlineOutcome.EXCEEDED : DeadlineCounts.DeadlineOutcome.MET);
      return true;
    }
  }
}
