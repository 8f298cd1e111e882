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
 * One search of an export, which is asked again after a wait where it was refused: until the
 * request's deadline, or where it has none for {@link #MAX_RETRY_TIME}. Confined to the request's
 * home.
 */
final class PageSearch implements ActionListener<SearchResponse> {
  /** For how long a page is asked for that has no deadline. */
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

  /** Who reads it. */
  interface PageHandler {
    /** What to ask for, made anew each time. */
    SearchRequest createSearch();

    /**
     * The answer, which is valid until this returns.
     *
     * @throws CircuitBreakingException where there is no room for it: it is asked for again
     */
    void onResponse(SearchResponse response);

    /** It was refused, and is asked for again. */
    void onRejected(boolean forMemory);

    void onFailure(Exception failure);
  }

  PageSearch(StreamingResponseSession request, ExportTimer timer, PageHandler reader) {
    this.request = request;
    this.timer = timer;
    this.handler = reader;
    this.startNanos = request.nanoTime();
  }

  /** Asks for it. */
  void send() {
    if (isDone) {
      return;
    }
    RequestContext asking = request.createPartContext();
    if (deadline == null) {
      deadline = asking.deadline();
    } else {
      asking.limitDeadline(deadline);
    }
    context = asking;
    request.execute(SearchAction.INSTANCE, handler.createSearch(), asking, this);
  }

  @Override
  public void onResponse(SearchResponse response) {
    RequestContext asked = finish();
    try {
      if (!isDone) {
        handler.onResponse(response);
        isDone = true;
      }
    } catch (CircuitBreakingException noRoom) {
      retry(noRoom);
    } finally {
      if (asked != null) {
        asked.end();
      }
    }
  }

  @Override
  public void onFailure(Exception failure) {
    RequestContext asked = finish();
    if (asked != null) {
      asked.end();
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
    RequestContext asked = context;
    context = null;
    return asked;
  }

  private void retry(Exception refusal) {
    long pauseNanos = BACKOFF.delayNanos(++rejections);
    long now = request.nanoTime() + pauseNanos;
    Deadline until = deadline;
    boolean late =
        (until != null && until.isSet())
            ? until.hasPassed(now)
            : now - startNanos > MAX_RETRY_TIME.toNanos();
    if (late) {
      isDone = true;
      handler.onFailure(refusal);
      return;
    }
    boolean memory = ExceptionsHelper.unwrap(refusal, CircuitBreakingException.class) != null;
    handler.onRejected(memory);
    cancelRetry = timer.schedule(Duration.ofNanos(pauseNanos), request.eventLoop(), this::send);
  }

  /** Nobody wants it any more. */
  void cancel(String reason) {
    if (!isDone) {
      isDone = true;
      cancelRetry.run();
      if (context != null) {
        context.cancel(reason); // its outcome ends the context
      }
    }
  }
}
