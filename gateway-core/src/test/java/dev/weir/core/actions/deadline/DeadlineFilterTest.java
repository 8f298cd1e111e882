package dev.weir.core.actions.deadline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.cluster.ClusterView;
import dev.weir.core.actions.explain.RecentRoutingDecisions;
import dev.weir.model.Deadline;
import dev.weir.model.NodeEndpoint;
import dev.weir.model.PassThroughException;
import dev.weir.model.RequestContext;
import dev.weir.rest.ActionExecutor;
import dev.weir.rest.ExecutionFilter;
import dev.weir.rest.MultiSearchPartSink;
import dev.weir.rest.PartwiseMultiSearchRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.opensearch.ExceptionsHelper;
import org.opensearch.OpenSearchException;
import org.opensearch.action.ActionRequest;
import org.opensearch.action.ActionType;
import org.opensearch.action.bulk.BulkAction;
import org.opensearch.action.bulk.BulkItemResponse;
import org.opensearch.action.bulk.BulkRequest;
import org.opensearch.action.bulk.BulkResponse;
import org.opensearch.action.delete.DeleteAction;
import org.opensearch.action.delete.DeleteRequest;
import org.opensearch.action.delete.DeleteResponse;
import org.opensearch.action.get.GetAction;
import org.opensearch.action.get.GetRequest;
import org.opensearch.action.get.GetResponse;
import org.opensearch.action.index.IndexRequest;
import org.opensearch.action.search.MultiSearchAction;
import org.opensearch.action.search.MultiSearchRequest;
import org.opensearch.action.search.MultiSearchResponse;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.cluster.ClusterName;
import org.opensearch.cluster.ClusterState;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.action.ActionResponse;
import org.opensearch.core.rest.RestStatus;

class DeadlineFilterTest implements ActionExecutor {
  private static final ClusterView VIEW =
      new ClusterView(
          ClusterState.builder(new ClusterName("test")).build(),
          Map.<String, NodeEndpoint>of(),
          0,
          false);

  private final List<Runnable> timers = new ArrayList<>();
  private final DeadlineCounts counts = new DeadlineCounts();
  private final RequestContext context = new RequestContext(Runnable::run, 1, Map.of());
  private final List<Exception> failures = new ArrayList<>();
  private int answers;
  private long nowNanos = 100;
  private @Nullable ActionListener<?> begun;
  private @Nullable RuntimeException thrown;
  private final RecentRoutingDecisions recent =
      new RecentRoutingDecisions(
          4, () -> VIEW, (copies, count, phase) -> {}, () -> nowNanos, () -> 0);
  private final ActionExecutor timed =
      ExecutionFilter.chain(
          List.of(
              new DeadlineFilter(
                  (delay, home, action) -> timers.add(action),
                  () -> nowNanos,
                  counts,
                  recent.rejections())),
          this);

  @Override
  public <Q extends ActionRequest, R extends ActionResponse> void execute(
      ActionType<R> action, Q request, RequestContext context, ActionListener<R> listener) {
    if (thrown != null) {
      throw thrown;
    }
    begun = listener;
  }

  private void limit(long millis) {
    context.limitDeadline(Deadline.after(nowNanos, Duration.ofMillis(millis), "a test"));
  }

  private void get() {
    timed.execute(
        GetAction.INSTANCE,
        new GetRequest("a", "1"),
        context,
        ActionListener.wrap((GetResponse done) -> answers++, failures::add));
  }

  @SuppressWarnings("unchecked")
  private <R> ActionListener<R> begun() {
    return (ActionListener<R>) Objects.requireNonNull(begun);
  }

  @Test
  void doesNothingToARequestWithoutADeadline() {
    get();
    assertThat(timers).isEmpty();
    begun().onFailure(new IllegalStateException("bad"));
    assertThat(failures).hasSize(1);
    assertThat(counts.total(DeadlineCounts.DeadlineOutcome.MET)).isZero();
  }

  @Test
  void answersInTime() {
    limit(500);
    get();
    begun().onFailure(new IllegalStateException("bad"));
    timers.forEach(Runnable::run);
    assertThat(failures).hasSize(1).first().isInstanceOf(IllegalStateException.class);
    assertThat(context.cancelReason()).isNull();
    assertThat(counts.total(DeadlineCounts.DeadlineOutcome.MET)).isOne();
    assertThat(counts.total(DeadlineCounts.DeadlineOutcome.EXCEEDED)).isZero();
  }

  @Test
  void stopsTheWorkAndSaysSoWhenTheDeadlinePasses() {
    limit(500);
    get();
    List<String> order = new ArrayList<>();
    context.onCancel(() -> order.add("cancelled"));
    context.onExpiry(() -> order.add("expired"));
    timers.forEach(Runnable::run);
    assertThat(order).containsExactly("cancelled", "expired");
    assertThat(failures)
        .singleElement()
        .satisfies(failure -> {
          assertThat(ExceptionsHelper.status(failure)).isEqualTo(RestStatus.REQUEST_TIMEOUT);
          assertThat(OpenSearchException.getExceptionName(failure))
              .isEqualTo("deadline_exceeded_exception");
          assertThat(failure)
              .hasMessage(
                  "got no answer within [500ms], the deadline set by [a test]: the work for it was"
                      + " stopped; ask for less, or wait for longer");
        });
    begun().onFailure(new IllegalStateException("late"));
    begun().onResponse(null);
    assertThat(failures).hasSize(1);
    assertThat(answers).isZero();
    assertThat(counts.total(DeadlineCounts.DeadlineOutcome.EXCEEDED)).isOne();
  }

  @Test
  void stopInternalRequestsWithoutAResponse() {
    context.markInternal();
    limit(500);
    get();
    timers.forEach(Runnable::run);
    assertThat(failures).hasSize(1);
    assertThat(context.cancelReason()).isNotNull();
    nowNanos += Duration.ofSeconds(1).toNanos();
    get();
    assertThat(failures).hasSize(2);
    for (DeadlineCounts.DeadlineOutcome end : DeadlineCounts.DeadlineOutcome.values()) {
      assertThat(counts.total(end)).as("%s", end).isZero();
    }
    assertThat(recent.recentRejections(10)).isEmpty();
  }

  @Test
  void reportThePassedDeadlineBeforeTheTimerRuns() {
    limit(500);
    get();
    nowNanos += Duration.ofMillis(500).toNanos();
    begun().onFailure(new IllegalStateException("nothing was sent any more"));
    assertThat(failures)
        .singleElement()
        .satisfies(failure ->
            assertThat(ExceptionsHelper.status(failure)).isEqualTo(RestStatus.REQUEST_TIMEOUT));
    assertThat(context.cancelReason()).isNotNull();
    assertThat(recent.recentRejections(2))
        .singleElement()
        .asString()
        .contains("rejected_by=deadline", "reason_code=exceeded", "max_ms=500", "set_by=a test");
    timers.forEach(Runnable::run);
    assertThat(failures).hasSize(1);
    assertThat(counts.total(DeadlineCounts.DeadlineOutcome.EXCEEDED)).isOne();
  }

  @Test
  void timeOutWhenTheDeadlineLeftPartsOut() {
    limit(500);
    get();
    nowNanos += Duration.ofMillis(500).toNanos();
    context.reportDeadlineExceeded();
    begun().onResponse(null);
    assertThat(answers).isZero();
    assertThat(failures)
        .singleElement()
        .satisfies(failure ->
            assertThat(ExceptionsHelper.status(failure)).isEqualTo(RestStatus.REQUEST_TIMEOUT));
    assertThat(counts.total(DeadlineCounts.DeadlineOutcome.EXCEEDED)).isOne();
  }

  @Test
  void sendACompleteResponseSlightlyAfterTheDeadline() {
    limit(500);
    get();
    nowNanos += Duration.ofMillis(501).toNanos();
    begun().onResponse(null);
    timers.forEach(Runnable::run);
    assertThat(answers).isOne();
    assertThat(failures).isEmpty();
  }

  @Test
  void acceptAResponseAtTheLastMoment() {
    limit(500);
    get();
    context.onExpiry(() -> begun().onResponse(null));
    timers.forEach(Runnable::run);
    assertThat(answers).isOne();
    assertThat(failures).isEmpty();
    assertThat(counts.total(DeadlineCounts.DeadlineOutcome.EXCEEDED)).isOne();
  }

  @Test
  void beginsNothingAfterTheDeadline() {
    limit(0);
    timed.execute(
        DeleteAction.INSTANCE,
        new DeleteRequest("a", "1"),
        context,
        ActionListener.wrap((DeleteResponse done) -> answers++, failures::add));
    assertThat(begun).isNull();
    assertThat(failures)
        .singleElement()
        .satisfies(failure -> assertThat(failure).hasMessageContaining("nothing was done"));
    assertThat(counts.total(DeadlineCounts.DeadlineOutcome.EXPIRED_ON_ARRIVAL)).isOne();
  }

  @Test
  void answerALateBulkItemByItem() {
    limit(0);
    List<BulkItemResponse> items = new ArrayList<>();
    timed.execute(
        BulkAction.INSTANCE,
        new BulkRequest()
            .add(new IndexRequest("a").id("1").create(true))
            .add(new DeleteRequest("b", "2")),
        context,
        ActionListener.wrap(
            (BulkResponse done) -> items.addAll(List.of(done.getItems())), failures::add));
    assertThat(begun).isNull();
    assertThat(failures).isEmpty();
    assertThat(items)
        .extracting(item -> item.getOpType().getLowercase() + " " + item.getIndex())
        .containsExactly("create a", "delete b");
    assertThat(items)
        .allSatisfy(item -> {
          assertThat(item.getFailure().getStatus()).isEqualTo(RestStatus.REQUEST_TIMEOUT);
          assertThat(item.getFailureMessage()).contains("nothing was done");
        });
    assertThat(counts.total(DeadlineCounts.DeadlineOutcome.EXPIRED_ON_ARRIVAL)).isOne();
  }

  @Test
  void answerALateMultiSearchSearchBySearch() {
    limit(0);
    List<MultiSearchResponse.Item> items = new ArrayList<>();
    timed.execute(
        MultiSearchAction.INSTANCE,
        new MultiSearchRequest().add(new SearchRequest("a")).add(new SearchRequest("b")),
        context,
        ActionListener.wrap(
            (MultiSearchResponse done) -> items.addAll(List.of(done.getResponses())),
            failures::add));
    assertThat(begun).isNull();
    assertThat(failures).isEmpty();
    assertThat(items)
        .hasSize(2)
        .allSatisfy(item ->
            assertThat(ExceptionsHelper.status(item.getFailure()))
                .isEqualTo(RestStatus.REQUEST_TIMEOUT));
    assertThat(counts.total(DeadlineCounts.DeadlineOutcome.EXPIRED_ON_ARRIVAL)).isOne();
  }

  @Test
  void writeTheFailuresOfALateMultiSearchThatIsWrittenInParts() {
    limit(0);
    List<String> parts = new ArrayList<>();
    List<MultiSearchResponse> responses = new ArrayList<>();
    MultiSearchPartSink sink =
        new MultiSearchPartSink() {
          @Override
          public void write(int part, MultiSearchResponse.Item item) {
            parts.add(part + ": " + ExceptionsHelper.status(item.getFailure()));
          }

          @Override
          public MultiSearchResponse toResponse(long tookMillis) {
            return new MultiSearchResponse(new MultiSearchResponse.Item[0], tookMillis);
          }
        };
    timed.execute(
        MultiSearchAction.INSTANCE,
        new PartwiseMultiSearchRequest(
            new MultiSearchRequest().add(new SearchRequest("a")).add(new SearchRequest("b")), sink),
        context,
        ActionListener.wrap(responses::add, failures::add));
    assertThat(parts).containsExactly("0: REQUEST_TIMEOUT", "1: REQUEST_TIMEOUT");
    assertThat(responses).hasSize(1);
    assertThat(failures).isEmpty();
  }

  @Test
  void doNotTimePassedThroughRequests() {
    limit(500);
    thrown = new PassThroughException("odd");
    assertThatThrownBy(this::get).isSameAs(thrown);
    timers.forEach(Runnable::run);
    assertThat(failures).isEmpty();
    assertThat(context.cancelReason()).isNull();
  }

  @Test
  void stopTheTimerOfAnEndedRequest() {
    limit(500);
    get();
    context.end();
    timers.forEach(Runnable::run);
    assertThat(failures).isEmpty();
  }
}
