package dev.weir.core.actions;

import dev.weir.core.actions.deadline.DeadlineExceededException;
import dev.weir.core.coordinate.CoordinationTimers;
import dev.weir.core.reduce.items.StacklessFailure;
import dev.weir.model.MemoryWait;
import dev.weir.model.PassThroughException;
import dev.weir.model.RequestContext;
import dev.weir.rest.MultiSearchPartSink;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.MultiSearchResponse;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchResponse;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.common.breaker.CircuitBreakingException;
import org.opensearch.core.concurrency.OpenSearchRejectedExecutionException;
import org.opensearch.core.tasks.TaskCancelledException;

/**
 * One multi-search in progress. A search that finds no memory beside the others, or too many
 * searches before it in the queue for a node, is postponed until none of the others runs. Half as
 * many run at once then, and one more after each few that found room; while a postponed search runs
 * alone it may wait for memory of other requests, and for a shorter queue. Confined to the
 * request's event loop.
 */
final class MultiSearchRun {
  /** After so many searches that found room since the last refusal, one more runs at once. */
  private static final int SEARCHES_PER_INCREASE = 8;

  /** The pause before a search that runs alone tries a full queue again. */
  private static final Duration QUEUE_PAUSE = Duration.ofMillis(250);

  /**
   * For how long all searches together try full queues again. Eight dashboards of twelve panels
   * need some seconds on two processors.
   */
  private static final Duration MAX_QUEUE_WAIT = Duration.ofSeconds(10);

  private final List<SearchRequest> requests;
  private final RequestContext context;
  private final Searches searches;
  private final CoordinationTimers timers;
  private final ActionListener<MultiSearchResponse> listener;
  private final long startNanos;
  private final MultiSearchResponse.@Nullable Item[] items;
  private final boolean[] isDone;
  private final boolean[] isPostponed;
  private final ArrayDeque<Integer> postponed = new ArrayDeque<>(0);
  private @Nullable PassThroughException passThrough;
  private int initialMaxRunning;
  private int maxRunning;
  private int searchesWithRoom;
  private boolean isStartScheduled;
  private int running;
  private int next;
  private int pendingSearches;
  private boolean runsAlone;
  private boolean ended;

  /**
   * How the searches run.
   *
   * @param beside runs one of them beside others
   * @param alone runs one while no other runs; null if none is postponed
   * @param writer writes a response as soon as it is there; null to keep the responses
   */
  record Searches(
      ActionHandler<SearchRequest, SearchResponse> beside,
      @Nullable ActionHandler<SearchRequest, SearchResponse> alone,
      @Nullable MultiSearchPartSink writer) {}

  MultiSearchRun(
      List<SearchRequest> requests,
      RequestContext context,
      Searches searches,
      CoordinationTimers timers,
      ActionListener<MultiSearchResponse> listener) {
    this.requests = requests;
    this.context = context;
    this.searches = searches;
    this.timers = timers;
    this.listener = listener;
    this.startNanos = timers.nanoClock().getAsLong();
    this.items = new MultiSearchResponse.Item[requests.size()];
    this.isDone = new boolean[requests.size()];
    this.isPostponed = new boolean[requests.size()];
    this.pendingSearches = requests.size();
  }

  /** Starts the first searches. */
  void start(int concurrent) {
    initialMaxRunning = concurrent;
    maxRunning = concurrent;
    if (canPostpone()) {
      MemoryWait wait = context.resources().memoryWait();
      if (wait != null) {
        wait.deferRejections();
      }
    }
    int first = Math.min(concurrent, requests.size());
    for (int started = 0; started < first; started++) {
      startNext();
    }
  }

  private boolean canPostpone() {
    return searches.alone() != null && !context.isInternal();
  }

  /** Starts what may run later, not recursively: the stack must not grow. */
  private void scheduleStart() {
    if (!isStartScheduled) {
      isStartScheduled = true;
      context.runLater(this::startMore);
    }
  }

  /** Starts as many as may run. Of those that end at once, the event loop carries out no more. */
  private void startMore() {
    isStartScheduled = false;
    int left = maxRunning;
    while (left > 0 && startNext()) {
      left--;
    }
  }

  /** Starts a search; returns false if none may start now. */
  private boolean startNext() {
    if (ended || runsAlone || running >= maxRunning) {
      return false;
    }
    Integer slot = running == 0 ? postponed.poll() : null;
    if (slot == null && next < requests.size()) {
      slot = next++;
    }
    if (slot == null) {
      return false;
    }
    ActionHandler<SearchRequest, SearchResponse> alone = searches.alone();
    runsAlone = alone != null && (isPostponed[slot] || maxRunning == 1);
    run(slot, alone != null && runsAlone ? alone : searches.beside());
    return true;
  }

  private void run(int slot, ActionHandler<SearchRequest, SearchResponse> handler) {
    running++;
    try {
      handler.handle(
          requests.get(slot),
          context,
          new ActionListener<>() {
            @Override
            public void onResponse(SearchResponse response) {
              onItem(slot, new MultiSearchResponse.Item(response, null));
            }

            @Override
            public void onFailure(Exception failure) {
              onItemFailure(slot, failure);
            }
          });
    } catch (RuntimeException failure) {
      onItemFailure(slot, failure);
    }
  }

  private void onItemFailure(int slot, Exception failure) {
    if (failure instanceof PassThroughException found) {
      passThrough = found;
    }
    if (shouldPostpone(failure)) {
      postponed.add(slot);
      isPostponed[slot] = true;
      maxRunning = Math.max(1, maxRunning / 2);
      searchesWithRoom = 0;
      onRunEnd();
    } else if (shouldTryAgain(failure)) {
      timers
          .scheduler()
          .schedule(
              QUEUE_PAUSE, context.eventLoop(), () -> context.run(() -> tryAgain(slot, failure)));
    } else {
      onItem(slot, new MultiSearchResponse.Item(null, withoutStackTraces(failure)));
    }
  }

  /** Runs a search alone once more; until then no other one starts. */
  private void tryAgain(int slot, Exception failure) {
    ActionHandler<SearchRequest, SearchResponse> alone = searches.alone();
    if (alone == null || context.cancelReason() != null) {
      onItem(slot, new MultiSearchResponse.Item(null, failure));
    } else if (!ended) {
      running--;
      run(slot, alone);
    }
  }

  /** Makes the failure of one of many searches small where all of them are kept. */
  private Exception withoutStackTraces(Exception failure) {
    return searches.writer() != null
            || requests.size() < StacklessFailure.MIN_FAILURES
            || NodeLossDetector.isNodeLoss(failure)
        ? failure
        : StacklessFailure.of(failure);
  }

  private boolean shouldPostpone(Exception failure) {
    return !ended
        && !runsAlone
        && canPostpone()
        && context.cancelReason() == null
        && (failure instanceof OpenSearchRejectedExecutionException // of a node's full queue here
            || MemoryWaitingSearch.isMemoryRejection(failure));
  }

  private boolean shouldTryAgain(Exception failure) {
    return !ended
        && runsAlone
        && canPostpone()
        && context.cancelReason() == null
        && elapsedNanos() < MAX_QUEUE_WAIT.toNanos()
        && failure instanceof OpenSearchRejectedExecutionException; // of a node's full queue here
  }

  private long elapsedNanos() {
    return timers.nanoClock().getAsLong() - startNanos;
  }

  /** Responds at the deadline with the searches that have ended. */
  void onDeadlineExpired() {
    if (ended) {
      return;
    }
    Exception late = DeadlineExceededException.forRead(context.deadline());
    try {
      for (int slot = 0; slot < items.length; slot++) {
        if (!isDone[slot]) {
          put(slot, new MultiSearchResponse.Item(null, late));
        }
      }
    } catch (CircuitBreakingException noMemory) {
      fail(noMemory);
      return;
    }
    answer();
  }

  private void onItem(int slot, MultiSearchResponse.Item item) {
    if (ended) {
      return;
    }
    try {
      put(slot, item);
    } catch (CircuitBreakingException noMemory) {
      if (item.isFailure()) {
        fail(noMemory);
      } else {
        onItemFailure(slot, noMemory);
      }
      return;
    }
    if (!item.isFailure()) {
      onSearchWithRoom();
    }
    onRunEnd();
  }

  private void onSearchWithRoom() {
    searchesWithRoom++;
    if (searchesWithRoom == SEARCHES_PER_INCREASE) {
      searchesWithRoom = 0;
      maxRunning = Math.min(initialMaxRunning, maxRunning + 1);
    }
  }

  /** Ends without the searches' responses: there is no memory even for a failure. */
  private void fail(CircuitBreakingException noMemory) {
    ended = true;
    listener.onFailure(noMemory);
  }

  /** Keeps the response of a search, or writes it. */
  private void put(int slot, MultiSearchResponse.Item item) {
    MultiSearchPartSink writer = searches.writer();
    if (writer == null) {
      items[slot] = item;
    } else if (passThrough == null) {
      if (NodeLossDetector.isIncomplete(item)) {
        context.response().markIncomplete();
      }
      try {
        writer.write(slot, item);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    isDone[slot] = true;
    pendingSearches--;
  }

  private void onRunEnd() {
    running--;
    runsAlone = false;
    if (pendingSearches == 0) {
      answer();
    } else if (context.cancelReason() != null || passThrough != null) {
      stopStarting();
    } else {
      scheduleStart();
    }
  }

  /** Starts no more searches. */
  private void stopStarting() {
    MultiSearchResponse.Item cancelled =
        new MultiSearchResponse.Item(null, new TaskCancelledException("Parent task was cancelled"));
    try {
      while (next < requests.size()) {
        put(next++, cancelled);
      }
      for (Integer slot = postponed.poll(); slot != null; slot = postponed.poll()) {
        put(slot, cancelled);
      }
    } catch (CircuitBreakingException noMemory) {
      fail(noMemory);
      return;
    }
    if (pendingSearches == 0) {
      answer();
    }
  }

  private void answer() {
    ended = true;
    if (passThrough != null) {
      listener.onFailure(passThrough);
      return;
    }
    long took = TimeUnit.NANOSECONDS.toMillis(elapsedNanos());
    MultiSearchPartSink writer = searches.writer();
    listener.onResponse(
        writer == null ? new MultiSearchResponse(items, took) : writer.toResponse(took));
  }
}
