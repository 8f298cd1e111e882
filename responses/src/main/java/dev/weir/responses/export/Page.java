package dev.weir.responses.export;

import dev.weir.rest.StreamedRequest;
import dev.weir.model.Deadline;
import dev.weir.model.RequestContext;
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
 * request's deadline, or where it has none for {@link #PATIENCE}. Confined to the request's home.
 */
final class Page implements ActionListener<SearchResponse> {
  /** For how long a page is asked for that has no deadline. */
  static final Duration PATIENCE = Duration.ofMinutes(1);

  private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

  private final StreamedRequest request;
  private final ExportTimer timer;
  private final Reader reader;
  private final long begunNanos;
  private @Nullable RequestContext context;
  private @Nullable Deadline deadline;
  private Runnable callOff = () -> {};
  private Duration pause = FIRST_PAUSE;
  private boolean over;

  /** Who reads it. */
  interface Reader {
    /** What to ask for, made anew each time. */
    SearchRequest search();

    /**
     * The answer, which is valid until this returns.
     *
     * @throws CircuitBreakingException where there is no room for it: it is asked for again
     */
    void answered(SearchResponse response);

    /** It was refused, and is asked for again. */
    void refused(boolean forMemory);

    void failed(Exception failure);
  }

  Page(StreamedRequest request, ExportTimer timer, Reader reader) {
    this.request = request;
    this.timer = timer;
    this.reader = reader;
    this.begunNanos = request.now();
  }

  /** Asks for it. */
  void ask() {
    if (over) {
      return;
    }
    RequestContext asking = request.part();
    if (deadline == null) {
      deadline = asking.deadline();
    } else {
      asking.limit(deadline);
    }
    context = asking;
    request.execute(SearchAction.INSTANCE, reader.search(), asking, this);
  }

  @Override
  public void onResponse(SearchResponse response) {
    RequestContext asked = end();
    try {
      if (!over) {
        reader.answered(response);
        over = true;
      }
    } catch (CircuitBreakingException noRoom) {
      again(noRoom);
    } finally {
      if (asked != null) {
        asked.end();
      }
    }
  }

  @Override
  public void onFailure(Exception failure) {
    RequestContext asked = end();
    if (asked != null) {
      asked.end();
    }
    if (over) {
      return;
    }
    if (ExceptionsHelper.status(failure) == RestStatus.TOO_MANY_REQUESTS) {
      again(failure);
    } else {
      over = true;
      reader.failed(failure);
    }
  }

  private @Nullable RequestContext end() {
    RequestContext asked = context;
    context = null;
    return asked;
  }

  private void again(Exception refusal) {
    long now = request.now() + pause.toNanos();
    Deadline until = deadline;
    boolean late =
        (until != null && until.exists())
            ? until.passed(now)
            : now - begunNanos > PATIENCE.toNanos();
    if (late) {
      over = true;
      reader.failed(refusal);
      return;
    }
    boolean memory = ExceptionsHelper.unwrap(refusal, CircuitBreakingException.class) != null;
    reader.refused(memory);
    callOff = timer.after(pause, request.home(), this::ask);
    Duration longer = pause.multipliedBy(2);
    pause = longer.compareTo(LONGEST_PAUSE) < 0 ? longer : LONGEST_PAUSE;
  }

  /** Nobody wants it any more. */
  void cancel(String reason) {
    if (!over) {
      over = true;
      callOff.run();
      if (context != null) {
        context.cancel(reason); // its outcome ends the context
      }
    }
  }
}
