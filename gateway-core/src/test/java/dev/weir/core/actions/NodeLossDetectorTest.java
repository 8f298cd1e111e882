package dev.weir.core.actions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.RequestContext;
import dev.weir.rest.ActionExecutor;
import dev.weir.rest.ExecutionFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.opensearch.action.ActionRequest;
import org.opensearch.action.ActionType;
import org.opensearch.action.search.CreatePitAction;
import org.opensearch.action.search.CreatePitRequest;
import org.opensearch.action.search.CreatePitResponse;
import org.opensearch.action.search.MultiSearchAction;
import org.opensearch.action.search.MultiSearchRequest;
import org.opensearch.action.search.MultiSearchResponse;
import org.opensearch.action.search.SearchAction;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchResponse;
import org.opensearch.action.search.SearchResponseSections;
import org.opensearch.action.search.ShardSearchFailure;
import org.opensearch.common.unit.TimeValue;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.action.ActionResponse;
import org.opensearch.search.SearchHits;
import org.opensearch.transport.ConnectTransportException;

class NodeLossDetectorTest implements ActionExecutor {
  private final ActionExecutor noticed =
      ExecutionFilter.chain(List.of(new NodeLossDetector()), this);
  private final RequestContext context = new RequestContext(Runnable::run, 1, Map.of());
  private final List<Object> answers = new ArrayList<>();
  private @Nullable ActionListener<?> begun;

  @Override
  public <Q extends ActionRequest, R extends ActionResponse> void execute(
      ActionType<R> action, Q request, RequestContext context, ActionListener<R> listener) {
    begun = listener;
  }

  private <Q extends ActionRequest, R extends ActionResponse> void run(
      ActionType<R> action, Q request, R response) {
    noticed.execute(
        action,
        request,
        context,
        ActionListener.wrap(answers::add, failure -> answers.add(failure)));
    NodeLossDetectorTest.<R>listening(Objects.requireNonNull(begun)).onResponse(response);
    assertThat(answers).containsExactly(response);
  }

  @SuppressWarnings("unchecked")
  private static <R> ActionListener<R> listening(ActionListener<?> listener) {
    return (ActionListener<R>) listener;
  }

  private static ShardSearchFailure[] gone() {
    return new ShardSearchFailure[] {
      new ShardSearchFailure(new ConnectTransportException(null, "gone"))
    };
  }

  /** A page that lacks the hits of a lost node. */
  private static SearchResponse page(@Nullable String scrollId) {
    return new SearchResponse(
        new SearchResponseSections(SearchHits.empty(), null, null, false, false, null, 1),
        scrollId,
        2,
        1,
        0,
        5,
        gone(),
        SearchResponse.Clusters.EMPTY);
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(strings = "the contexts of the nodes that are left")
  void acceptAnotherCopyForAResponseWithoutAContext(@Nullable String scrollId) {
    run(SearchAction.INSTANCE, new SearchRequest("a"), page(scrollId));
    assertThat(context.response().isIncomplete()).isEqualTo(scrollId == null);
  }

  @Test
  void acceptAnotherCopyForOneOfManySearches() {
    MultiSearchResponse.Item lacking = new MultiSearchResponse.Item(page(null), null);
    run(
        MultiSearchAction.INSTANCE,
        new MultiSearchRequest().add(new SearchRequest("a")),
        new MultiSearchResponse(new MultiSearchResponse.Item[] {lacking}, 5));
    assertThat(context.response().isIncomplete()).isTrue();
  }

  @Test
  void keepAPointInTimeOnItsCopies() {
    run(
        CreatePitAction.INSTANCE,
        new CreatePitRequest(TimeValue.timeValueMinutes(1), true, "a"),
        new CreatePitResponse("id", 1, 2, 1, 0, 1, gone()));
    assertThat(context.response().isIncomplete()).isFalse();
  }
}
