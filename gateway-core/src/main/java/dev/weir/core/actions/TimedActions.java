package dev.weir.core.actions;

import dev.weir.core.actions.explain.RecentRefusals;
import dev.weir.core.actions.explain.Refusal;
import dev.weir.core.coordinate.Delays;
import dev.weir.rest.ActionExecutor;
import dev.weir.core.reduce.BulkItems;
import dev.weir.model.Deadline;
import dev.weir.model.RequestContext;
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

/**
 * Carries out actions until their request's deadline at most: then the request is cancelled, which
 * stops its work on the nodes, and it is answered with what there is, or with a failure: a bulk and
 * a multi-search item by item. Safe on any thread.
 */
public final class TimedActions implements ActionExecutor {
  private final ActionExecutor actions;
  private final Delays delays;
  private final LongSupplier nanoClock;
  private final DeadlineCounts counts;
  private final RecentRefusals refusals;

  /** Makes it around the actions. */
  public TimedActions(
      ActionExecutor actions,
      Delays delays,
      LongSupplier nanoClock,
      DeadlineCounts counts,
      RecentRefusals refusals) {
    this.refusals = refusals;
    this.actions = actions;
    this.delays = delays;
    this.nanoClock = nanoClock;
    this.counts = counts;
  }

  @Override
  public <Q extends ActionRequest, R extends ActionResponse> void execute(
      ActionType<R> action, Q request, RequestContext context, ActionListener<R> listener) {
    Deadline deadline = context.deadline();
    if (!deadline.exists()) {
      actions.execute(action, request, context, listener);
      return;
    }
    Timed<R> timed = new Timed<>(context, listener, isWrite(action.name()));
    long left = deadline.leftNanos(nanoClock.getAsLong());
    if (left <= 0) {
      timed.tooLate(request);
      return;
    }
    timed.startTimer(left);
    boolean begun = false;
    try {
      actions.execute(action, request, context, timed);
      begun = true;
    } finally {
      if (!begun) {
        timed.stopTimer();
      }
    }
  }

  /** Whether an action of this name changes documents. */
  static boolean isWrite(String action) {
    return action.startsWith("indices:data/write/");
  }

  /** The answer to a request of many parts, all of which failed; null for one that is a whole. */
  private @Nullable ActionResponse ofParts(ActionRequest request, Exception why) {
    return switch (request) {
      case BulkRequest bulk -> BulkItems.allFailed(bulk, nanoClock, why);
      case MultiSearchRequest searches -> {
        MultiSearchResponse.Item[] items = new MultiSearchResponse.Item[searches.requests().size()];
        Arrays.fill(items, new MultiSearchResponse.Item(null, why));
        yield new MultiSearchResponse(items, 0);
      }
      default -> null;
    };
  }

  /** One action with a deadline. Confined to its request's home. */
  private final class Timed<R> implements ActionListener<R> {
    private final RequestContext context;
    private final ActionListener<R> listener;
    private final boolean write;
    private Runnable stopTimer = () -> {};
    private boolean expired;
    private boolean over;

    Timed(RequestContext context, ActionListener<R> listener, boolean write) {
      this.context = context;
      this.listener = listener;
      this.write = write;
    }

    void startTimer(long leftNanos) {
      stopTimer =
          delays.unlessCalledOff(
              Duration.ofNanos(leftNanos), context.home(), () -> context.run(this::expire));
      context.whenOverdue(this::expire);
      context.onEnd(stopTimer);
    }

    void stopTimer() {
      stopTimer.run();
    }

    @SuppressWarnings("unchecked") // the answer is of the kind that such a request has
    void tooLate(ActionRequest request) {
      over = true;
      count(DeadlineCounts.End.TOO_LATE);
      Exception late = failure(DeadlineExceededException.Done.NO);
      explain(false, late);
      ActionResponse parts = ofParts(request, late);
      if (parts == null) {
        listener.onFailure(late);
      } else {
        listener.onResponse((R) parts);
      }
    }

    private void expire() {
      if (over) {
        return;
      }
      expired = true;
      context.expire("the deadline of " + context.deadline() + " has passed");
      Exception late = failure(DeadlineExceededException.Done.UNKNOWN);
      explain(true, late);
      onFailure(late);
    }

    private void count(DeadlineCounts.End end) {
      if (!context.inner()) {
        counts.count(end);
      }
    }

    private void explain(boolean begun, Exception late) {
      if (context.inner()) {
        return;
      }
      refusals.add(
          RecentRefusals.Who.of(context),
          Refusal.deadline(context.deadline(), begun, String.valueOf(late.getMessage())));
    }

    private Exception failure(DeadlineExceededException.Done done) {
      return write
          ? DeadlineExceededException.writing(context.deadline(), done)
          : DeadlineExceededException.reading(context.deadline());
    }

    @Override
    public void onResponse(R response) {
      if (end()) {
        listener.onResponse(response);
      }
    }

    @Override
    public void onFailure(Exception failure) {
      if (!over && !expired && !write && context.deadline().passed(nanoClock.getAsLong())) {
        expire(); // the timer is late: nothing was sent any more, and that is what failed
      } else if (end()) {
        listener.onFailure(failure);
      }
    }

    private boolean end() {
      if (over) {
        return false;
      }
      over = true;
      stopTimer.run();
      count(expired ? DeadlineCounts.End.PASSED : DeadlineCounts.End.MET);
      return true;
    }
  }
}
