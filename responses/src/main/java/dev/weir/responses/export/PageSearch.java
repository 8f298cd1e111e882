package dev.weir.responses.export;

import dev.weir.model.Deadline;
import dev.weir.model.RequestContext;
import dev.weir.protocol.Backoff;
import dev.weir.rest.StreamingResponseSession;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.opensearch.ExceptionsHelper;
import org.opensearch.action.search.SearchAction;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchResponse;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.common.breaker.CircuitBreakingException;
import org.opensearch.core.rest.RestStatus;

/**
 * One search of an export. It retries after a rejection until the request's deadline, or, without a
 * deadline, for {@link #MAX_RETRY_TIME}. Confined to the request's event loop.
 */
final class PageSearch implements ActionListener<SearchResponse> {
  /** The bound of retries of a request without a deadline. */
  static final Duration MAX_RETRY_TIME = Duration.ofMinutes(1);

  private static final Backoff BACKOFF =
      new Backoff(Duration.ofMillis(50), 2, Duration.ofSeconds(2));

  private final StreamingResponseSession request;
  private final ExportTimer timer;
  private final PageHandler handler;
  private final long startNanos;
  private @Nullable RequestContext context;
  private @Nullable Deadline deadline;
  private Runnable cancelRetry = () -> {};
  private int rejections;
  private boolean isDone;

  /** The receiver of the page. */
  interface PageHandler {
    /** Creates the search of the next attempt. */
    SearchRequest createSearch();

    /**
     * Processes the response, which is valid until this returns.
     *
     * @throws CircuitBreakingException if memory is short: the search is retried
     */
    void onResponse(SearchResponse response);

    /** The search was rejected and will be retried. */
    void onRejected(boolean forMemory);

    void onFailure(Exception failure);
  }

  PageSearch(StreamingResponseSession request, ExportTimer timer, PageHandler reader) {
    this.request = request;
    this.timer = timer;
    this.handler = reader;
    this.startNanos = request.nanoTime();
  }

  void send() {
    if (isDone) {
      return;
    }
    RequestContext attempt = request.createPartContext();
    if (deadline == null) {
      deadline = attempt.deadline();
    } else {
      attempt.limitDeadline(deadline);
    }
    context = attempt;
    request.execute(SearchAction.INSTANCE, handler.createSearch(), attempt, this);
  }

  @Override
  public void onResponse(SearchResponse response) {
    RequestContext attempt = finish();
    try {
      if (!isDone) {
        handler.onResponse(response);
        isDone = true;
      }
    } catch (CircuitBreakingException tooLittleMemory) {
      retry(tooLittleMemory);
    } finally {
      if (attempt != null) {
        attempt.end();
      }
    }
  }

  @Override
  public void onFailure(Exception failure) {
    RequestContext attempt = finish();
    if (attempt != null) {
      attempt.end();
    }
    if (isDone) {
      return;
    }
    if (ExceptionsHelper.status(failure) == RestStatus.TOO_MANY_REQUESTS) {
      retry(failure);
    } else {
      isDone = true;
      handler.onFailure(failure);
    }
  }

  private @Nullable RequestContext finish() {
    RequestContext attempt = context;
    context = null;
    return attempt;
  }

  private void retry(Exception rejection) {
    long pauseNanos = BACKOFF.delayNanos(++rejections);
    long now = request.nanoTime() + pauseNanos;
    Deadline until = deadline;
    boolean late =
        (until != null && until.isSet())
            ? until.hasPassed(now)
            : now - startNanos > MAX_RETRY_TIME.toNanos();
    if (late) {
      isDone = true;
      handler.onFailure(rejection);
      return;
    }
    boolean memory = ExceptionsHelper.unwrap(rejection, CircuitBreakingException.class) != null;
    handler.onRejected(memory);
    cancelRetry = timer.schedule(Duration.ofNanos(pauseNanos), request.eventLoop(), this::send);
  }

  void cancel(String reason) {
    if (!isDone) {
      isDone = true;
      cancelRetry.run();
      if (context != null) {
        context.cancel(reason); // its response or failure ends the context
      }
    }
  }
}
