package dev.weir.core.actions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.admission.MemoryPool;
import dev.weir.admission.memory.GatewayMemory;
import dev.weir.admission.memory.RequestMemoryAccount;
import dev.weir.config.policy.ByteSize;
import dev.weir.config.policy.RequestMemoryPolicy;
import dev.weir.core.coordinate.CoordinationTimers;
import dev.weir.core.coordinate.DelayScheduler;
import dev.weir.model.MemoryRejection;
import dev.weir.model.PassThroughException;
import dev.weir.model.RequestContext;
import dev.weir.model.RequestMemory.Category;
import dev.weir.protocol.RequestFrameBudget;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.opensearch.action.search.SearchPhaseExecutionException;
import org.opensearch.action.search.SearchResponse;
import org.opensearch.action.search.SearchResponse.Clusters;
import org.opensearch.action.search.ShardSearchFailure;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.common.breaker.CircuitBreaker;
import org.opensearch.core.common.breaker.CircuitBreakingException;
import org.opensearch.core.tasks.TaskCancelledException;
import org.opensearch.search.internal.InternalSearchResponse;

/** A search in a gateway with 100 MB for reductions, which finds no memory at first. */
class MemoryWaitingSearchTest {
  private static final long MB = 1 << 20;

  private final MemoryPool reduce = new MemoryPool(100 * MB);
  private final ArrayDeque<Runnable> loop = new ArrayDeque<>();
  private final List<String> delays = new ArrayList<>();
  private final ArrayDeque<Runnable> timers = new ArrayDeque<>();
  private final List<Boolean> attempts = new ArrayList<>();
  private final List<Object> outcomes = new ArrayList<>();
  private GatewayMemory gateway = gateway(Duration.ofSeconds(10), true);
  private RequestMemoryAccount account = gateway.openAccount("POST", "/_search", null);

  private GatewayMemory gateway(Duration maxWait, boolean passThrough) {
    return new GatewayMemory(
        new RequestMemoryPolicy(
            true, new ByteSize(150 * MB), new ByteSize(100 * MB), 0.8, maxWait, passThrough),
        new GatewayMemory.Pools(new MemoryPool(100 * MB), new MemoryPool(100 * MB), reduce),
        () -> 0);
  }

  private void use(Duration maxWait, boolean passThrough) {
    gateway = gateway(maxWait, passThrough);
    account = gateway.openAccount("POST", "/_search", null);
  }

  @AfterEach
  void nothingIsOwed() {
    assertThat(reduce.usedBytes()).isZero();
    assertThat(gateway.waitingRequests()).isZero();
  }

  private RequestContext context() {
    RequestContext context = new RequestContext(loop::add, 7, Map.of());
    context.resources().setMemory(account);
    context.resources().setMemoryWait(account.memoryWait());
    return context;
  }

  private void runLoop() {
    for (Runnable task = loop.poll(); task != null; task = loop.poll()) {
      task.run();
    }
  }

  /** Starts a search that needs so many bytes to reduce, which it releases before it answers. */
  private RequestContext search(Category item, long bytes) {
    RequestContext context = context();
    DelayScheduler scheduler =
        new DelayScheduler() {
          @Override
          public void schedule(Duration delay, Executor eventLoop, Runnable action) {
            delays.add(delay.toMillis() + " ms");
            timers.add(() -> eventLoop.execute(action));
          }
        };
    MemoryWaitingSearch.start(
        new CoordinationTimers(scheduler, () -> 0),
        context,
        (isFirst, answers) -> {
          attempts.add(isFirst);
          MemoryRejection refused = account.reserve(item, bytes);
          if (refused == null) {
            account.release(item, bytes);
            answers.onResponse(response());
          } else {
            answers.onFailure(
                new SearchPhaseExecutionException(
                    "fetch",
                    "",
                    RequestFrameBudget.exception(refused),
                    ShardSearchFailure.EMPTY_ARRAY));
          }
        },
        ActionListener.wrap(outcomes::add, outcomes::add));
    runLoop();
    return context;
  }

  private static SearchResponse response() {
    return new SearchResponse(
        InternalSearchResponse.empty(),
        null,
        1,
        1,
        0,
        1,
        ShardSearchFailure.EMPTY_ARRAY,
        Clusters.EMPTY);
  }

  private RequestMemoryAccount others(long bytes) {
    RequestMemoryAccount holder = gateway.openAccount("POST", "/other/_search", null);
    assertThat(holder.reserve(Category.REDUCTION, bytes)).isNull();
    return holder;
  }

  @Test
  void answerAtOnceWithEnoughMemory() {
    search(Category.DECODED_RESPONSES, 80 * MB);
    assertThat(attempts).containsExactly(true);
    assertThat(outcomes).singleElement().isInstanceOf(SearchResponse.class);
    assertThat(delays).isEmpty();
  }

  @Test
  void runAgainWhenOthersReleaseTheirMemory() {
    RequestMemoryAccount holder = others(70 * MB);
    search(Category.DECODED_RESPONSES, 40 * MB);
    assertThat(outcomes).isEmpty();
    assertThat(delays).containsExactly("10000 ms");
    assertThat(gateway.waitingRequests()).isOne();

    holder.release(Category.REDUCTION, 70 * MB);
    runLoop();
    assertThat(attempts).containsExactly(true, false);
    assertThat(outcomes).singleElement().isInstanceOf(SearchResponse.class);
    assertThat(gateway.recentRejections()).as("the client saw none").isEmpty();
    timers.forEach(Runnable::run);
    runLoop();
    assertThat(outcomes).hasSize(1);
  }

  @Test
  void passThroughWhenNoMemoryBecomesFreeInTime() {
    RequestMemoryAccount holder = others(70 * MB);
    search(Category.DECODED_RESPONSES, 40 * MB);
    timers.forEach(Runnable::run);
    runLoop();
    assertThat(attempts).containsExactly(true);
    assertThat(outcomes)
        .singleElement()
        .isInstanceOfSatisfying(
            PassThroughException.class,
            passing -> {
              assertThat(passing.reason()).isEqualTo("memory");
              assertThat(passing.alternative()).isInstanceOf(SearchPhaseExecutionException.class);
            });
    assertThat(gateway.recentRejections()).isEmpty();
    holder.release(Category.REDUCTION, 70 * MB);
  }

  @Test
  void passThroughAtOnceWhatCanNeverFit() {
    search(Category.DECODED_RESPONSES, 81 * MB);
    assertThat(delays).isEmpty();
    assertThat(outcomes).singleElement().isInstanceOf(PassThroughException.class);
  }

  @Test
  void refuseBucketsThatTheRequestItselfAsksFor() {
    search(Category.REDUCTION, 81 * MB);
    assertThat(outcomes)
        .singleElement()
        .isInstanceOfSatisfying(
            SearchPhaseExecutionException.class,
            refused -> {
              assertThat(refused.status().getStatus()).isEqualTo(429);
              assertThat(Objects.requireNonNull(refused.getCause()).getMessage())
                  .contains("max-total-reduce-bytes", "a retry does not help");
            });
    assertThat(gateway.recentRejections()).hasSize(1);
  }

  @Test
  void refuseWhereNothingMayPassThrough() {
    use(Duration.ZERO, false);
    RequestMemoryAccount holder = others(70 * MB);
    search(Category.DECODED_RESPONSES, 40 * MB);
    assertThat(delays).isEmpty();
    assertThat(outcomes).singleElement().isInstanceOf(SearchPhaseExecutionException.class);
    assertThat(gateway.recentRejections()).hasSize(1);
    holder.release(Category.REDUCTION, 70 * MB);
  }

  @Test
  void stopWaitingWhenTheClientLeaves() {
    RequestMemoryAccount holder = others(70 * MB);
    RequestContext context = search(Category.DECODED_RESPONSES, 40 * MB);
    context.cancel("the client left");
    assertThat(gateway.waitingRequests()).isZero();
    runLoop();
    assertThat(outcomes).singleElement().isInstanceOf(TaskCancelledException.class);
    holder.release(Category.REDUCTION, 70 * MB);
    timers.forEach(Runnable::run);
    runLoop();
    assertThat(attempts).containsExactly(true);
    assertThat(outcomes).hasSize(1);
  }

  @Test
  void takeNoNodesBreakerForALackOfMemoryHere() {
    CircuitBreakingException breaking =
        new CircuitBreakingException("full", CircuitBreaker.Durability.TRANSIENT);
    ShardSearchFailure[] shards = {new ShardSearchFailure(breaking)};
    assertThat(MemoryWaitingSearch.isMemoryRejection(breaking)).isTrue();
    assertThat(
            MemoryWaitingSearch.isMemoryRejection(
                new SearchPhaseExecutionException("query", "all shards failed", breaking, shards)))
        .isFalse();
    assertThat(MemoryWaitingSearch.isMemoryRejection(new IllegalStateException())).isFalse();
  }
}
