package dev.weir.core.actions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.core.coordinate.CoordinationTimers;
import dev.weir.model.PassThroughException;
import dev.weir.model.RequestContext;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.opensearch.action.search.MultiSearchResponse;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchResponse;
import org.opensearch.action.search.SearchResponse.Clusters;
import org.opensearch.action.search.ShardSearchFailure;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.common.breaker.CircuitBreaker;
import org.opensearch.core.common.breaker.CircuitBreakingException;
import org.opensearch.core.concurrency.OpenSearchRejectedExecutionException;
import org.opensearch.search.internal.InternalSearchResponse;

/** Several searches of one request, which the test answers by hand. */
class MultiSearchRunTest {
  private final ArrayDeque<Runnable> loop = new ArrayDeque<>();
  private final RequestContext context = new RequestContext(loop::add, 1, Map.of());
  private final Map<String, ActionListener<SearchResponse>> running = new LinkedHashMap<>();
  private final List<String> started = new ArrayList<>();
  private final List<MultiSearchResponse> responses = new ArrayList<>();
  private final List<Exception> failures = new ArrayList<>();
  private final ArrayDeque<Runnable> delayed = new ArrayDeque<>();
  private long nanos;

  private MultiSearchRun start(int searches, int concurrent) {
    List<SearchRequest> requests =
        IntStream.range(0, searches).mapToObj(n -> new SearchRequest("i" + n)).toList();
    MultiSearchRun run =
        new MultiSearchRun(
            requests,
            context,
            new MultiSearchRun.Searches(
                (search, each, listener) -> add("", search, listener),
                (search, each, listener) -> add("alone ", search, listener),
                null),
            new CoordinationTimers((_, _, action) -> delayed.add(action), () -> nanos),
            ActionListener.wrap(responses::add, failures::add));
    run.start(concurrent);
    return run;
  }

  private void add(String how, SearchRequest search, ActionListener<SearchResponse> listener) {
    started.add(how + search.indices()[0]);
    running.put(search.indices()[0], listener);
  }

  private ActionListener<SearchResponse> take(String name) {
    return Objects.requireNonNull(running.remove(name), name);
  }

  private void answer(String name) {
    respond(name);
    runLoop();
  }

  private void respond(String name) {
    take(name)
        .onResponse(
            new SearchResponse(
                InternalSearchResponse.empty(),
                name,
                1,
                1,
                0,
                1,
                ShardSearchFailure.EMPTY_ARRAY,
                Clusters.EMPTY));
  }

  private void refuse(String name) {
    take(name).onFailure(new CircuitBreakingException("full", CircuitBreaker.Durability.TRANSIENT));
    runLoop();
  }

  private void reject(String name) {
    take(name).onFailure(new OpenSearchRejectedExecutionException("queue"));
    runLoop();
  }

  private void pass(Duration time) {
    nanos += time.toNanos();
    delayed.remove().run();
    runLoop();
  }

  private void runLoop() {
    for (Runnable task = loop.poll(); task != null; task = loop.poll()) {
      task.run();
    }
  }

  private List<String> items() {
    return Arrays.stream(responses.getFirst().getResponses())
        .map(item -> item.isFailure() ? item.getFailureMessage() : item.getResponse().getScrollId())
        .toList();
  }

  @Test
  void postponeWhatFindsNoMemoryUntilTheOthersAreDone() {
    start(4, 4);
    refuse("i1");
    refuse("i0");
    answer("i3");
    assertThat(started).hasSize(4);
    answer("i2");
    assertThat(running).containsOnlyKeys("i1");
    answer("i1");
    assertThat(running).containsOnlyKeys("i0");
    answer("i0");
    assertThat(started).endsWith("alone i1", "alone i0");
    assertThat(items()).containsExactly("i0", "i1", "i2", "i3");
  }

  @Test
  void runFewerAtOnceAfterARefusal() {
    start(8, 4);
    refuse("i0");
    assertThat(running).as("three run, and two may").hasSize(3);
    answer("i1");
    assertThat(running).containsOnlyKeys("i2", "i3");
    answer("i2");
    assertThat(running).containsOnlyKeys("i3", "i4");
    refuse("i4");
    answer("i3");
    assertThat(running).as("one at a time, the postponed ones first").containsOnlyKeys("i0");
    answer("i0");
    answer("i4");
    for (String name : List.of("i5", "i6", "i7")) {
      assertThat(running).containsOnlyKeys(name);
      answer(name);
    }
    assertThat(items()).hasSize(8).doesNotContain("full");
  }

  @Test
  void runMoreAtOnceAgainWhileSearchesFindRoom() {
    start(100, 4);
    refuse("i0");
    refuse("i1");
    answer("i2");
    answer("i3");
    int answered = 2;
    int mostRunning = 1;
    while (responses.isEmpty()) {
      assertThat(running).hasSizeLessThanOrEqualTo(Math.min(4, 1 + answered / 8));
      mostRunning = Math.max(mostRunning, running.size());
      answer(running.keySet().iterator().next());
      answered++;
    }
    assertThat(mostRunning).as("as many as at first").isEqualTo(4);
    assertThat(items()).hasSize(100).doesNotContain("full");
  }

  @Test
  void runAsManyAsMayAfterOneRanAlone() {
    start(8, 4);
    refuse("i0");
    List.of("i1", "i2", "i3").forEach(this::respond);
    runLoop();
    assertThat(running).containsOnlyKeys("i0");
    answer("i0");
    assertThat(running).containsOnlyKeys("i4", "i5");
  }

  @Test
  void startFewAtOnceOfThoseThatEndAtOnce() {
    AtomicInteger begun = new AtomicInteger();
    List<SearchRequest> requests = Collections.nCopies(1000, new SearchRequest("none"));
    MultiSearchRun run =
        new MultiSearchRun(
            requests,
            context,
            new MultiSearchRun.Searches(
                (search, each, listener) -> {
                  begun.incrementAndGet();
                  listener.onFailure(new IllegalArgumentException("none"));
                },
                null,
                null),
            new CoordinationTimers((_, _, action) -> delayed.add(action), () -> nanos),
            ActionListener.wrap(responses::add, failures::add));
    run.start(4);
    while (responses.isEmpty()) {
      int before = begun.get();
      loop.remove().run();
      assertThat(begun.get() - before).isBetween(0, 4);
    }
    assertThat(begun).hasValue(1000);
  }

  @Test
  void letTheOnlyOneThatRunsWaitForMemory() {
    start(2, 1);
    answer("i0");
    refuse("i1");
    assertThat(started).containsExactly("alone i0", "alone i1");
    assertThat(items()).containsExactly("i0", "full");
  }

  @Test
  void tryFullQueuesAgainOneSearchAtATime() {
    start(3, 3);
    reject("i0");
    reject("i1");
    answer("i2");
    assertThat(running).containsOnlyKeys("i0");
    reject("i0");
    assertThat(running).isEmpty();
    pass(Duration.ofSeconds(1));
    answer("i0");
    reject("i1");
    pass(Duration.ofSeconds(10));
    reject("i1");
    assertThat(started).endsWith("alone i0", "alone i0", "alone i1", "alone i1");
    assertThat(items()).containsExactly("i0", "queue", "i2");
    assertThat(delayed).isEmpty();
  }

  @Test
  void endAPauseWhereTheClientHasLeft() {
    start(2, 1);
    reject("i0");
    context.cancel("the client left");
    pass(Duration.ofSeconds(1));
    assertThat(started).containsExactly("alone i0");
    assertThat(items()).hasSize(2).doesNotContain("i0", "i1");
  }

  @Test
  void passThroughAsAWholeWhenOneSearchHasTo() {
    start(3, 2);
    answer("i0");
    take("i1").onFailure(new PassThroughException("memory"));
    runLoop();
    answer("i2");
    assertThat(failures).singleElement().isInstanceOf(PassThroughException.class);
    assertThat(responses).isEmpty();
  }

  @Test
  void answerPostponedSearchesAtTheDeadlineToo() {
    MultiSearchRun run = start(2, 2);
    refuse("i0");
    run.onDeadlineExpired();
    assertThat(items()).hasSize(2).doesNotContain("full");
    answer("i1");
    assertThat(responses).hasSize(1);
  }
}
