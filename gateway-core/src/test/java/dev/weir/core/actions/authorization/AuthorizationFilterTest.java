package dev.weir.core.actions.authorization;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.core.actions.deadline.DeadlineExceededException;
import dev.weir.model.Deadline;
import dev.weir.model.PassThroughException;
import dev.weir.model.RequestContext;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.opensearch.action.ActionType;
import org.opensearch.action.bulk.BulkAction;
import org.opensearch.action.bulk.BulkRequest;
import org.opensearch.action.bulk.BulkResponse;
import org.opensearch.action.delete.DeleteAction;
import org.opensearch.action.delete.DeleteRequest;
import org.opensearch.action.delete.DeleteResponse;
import org.opensearch.action.get.GetAction;
import org.opensearch.action.get.GetRequest;
import org.opensearch.action.get.GetResponse;
import org.opensearch.action.index.IndexAction;
import org.opensearch.action.index.IndexRequest;
import org.opensearch.action.index.IndexResponse;
import org.opensearch.action.search.ClearScrollAction;
import org.opensearch.action.search.ClearScrollRequest;
import org.opensearch.action.search.ClearScrollResponse;
import org.opensearch.action.search.MultiSearchAction;
import org.opensearch.action.search.MultiSearchRequest;
import org.opensearch.action.search.SearchAction;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchResponse;
import org.opensearch.action.search.SearchScrollAction;
import org.opensearch.action.search.SearchScrollRequest;
import org.opensearch.action.support.IndicesOptions;
import org.opensearch.action.update.UpdateAction;
import org.opensearch.action.update.UpdateRequest;
import org.opensearch.common.unit.TimeValue;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.action.ActionResponse;
import org.opensearch.core.common.breaker.CircuitBreaker.Durability;
import org.opensearch.core.common.breaker.CircuitBreakingException;
import org.opensearch.core.concurrency.OpenSearchRejectedExecutionException;
import org.opensearch.search.aggregations.AggregationBuilders;
import org.opensearch.search.builder.PointInTimeBuilder;
import org.opensearch.search.builder.SearchSourceBuilder;
import org.opensearch.search.suggest.SuggestBuilder;
import org.opensearch.transport.RemoteTransportException;

class AuthorizationFilterTest extends AuthorizationFilterFixture {
  @Test
  void searchOnceANodeHasPermittedTheExpressionAndEachIndex() {
    search("logs-*");

    assertThat(asked)
        .containsExactly(
            "GET /logs-%2A/_search?perform_permission_check=true"
                + "&ignore_unavailable=false&allow_no_indices=true&expand_wildcards=open",
            "GET /logs-1,logs-2/_search?perform_permission_check=true");
    answers.get(0).complete(GRANTED);
    assertThat(executed).isEmpty();
    assertThat(client.canSearch(List.of("logs-1"))).isFalse();
    answers.get(1).complete(GRANTED);
    assertThat(executed).hasSize(1);
    assertThat(client.canSearch(List.of("logs-1", "logs-2"))).isTrue();
    assertThat(client.canSearch(List.of("logs-1", "other"))).isFalse();

    search("logs-*");
    assertThat(asked).hasSize(2);
    assertThat(executed).hasSize(2);
  }

  @Test
  void passThroughWhereAnIndexIsForbidden() {
    search("logs-*");
    answers.get(0).complete(GRANTED);
    answers.get(1).complete(DENIED);

    assertThat(executed).isEmpty();
    assertThat(failures).containsExactly("security-denied");
    assertPassedThrough(SearchAction.INSTANCE, new SearchRequest("logs-*"), "security-denied");
  }

  @Test
  void passThroughWhereNoNodeAnswers() {
    search("logs-1");
    answers.forEach(answer -> answer.completeExceptionally(new IllegalStateException("no node")));

    assertThat(executed).isEmpty();
    assertThat(failures).containsExactly("security-check");
  }

  @Test
  void askAgainWhenAnIndexAppears() {
    search("logs-*");
    answers.forEach(answer -> answer.complete(GRANTED));
    view = view("logs-1", "logs-2", "logs-3");

    search("logs-*");

    assertThat(asked.getLast()).startsWith("GET /logs-1,logs-2,logs-3/_search");
    assertThat(executed).hasSize(1);
  }

  @Test
  void askAboutEachIndexWhereNodesLeaveForbiddenOnesOut() {
    client = client(NARROWING, "reader");
    search("logs-*");

    assertThat(asked).hasSize(3);
    assertThat(asked.get(1)).startsWith("GET /logs-1/_search");
    assertThat(asked.get(2)).startsWith("GET /logs-2/_search");
    answers.get(0).complete(GRANTED);
    answers.get(1).complete(GRANTED);
    answers.get(2).complete(DENIED);
    assertThat(executed).isEmpty();
  }

  /** If one is forbidden, nodes search the others, whatever the search says about wildcards. */
  @Test
  void askAboutEachMatchWhereNodesLeaveForbiddenOnesOut() {
    client = client(NARROWING, "reader");
    SearchRequest search =
        new SearchRequest("logs-*")
            .indicesOptions(IndicesOptions.fromOptions(false, true, false, false));
    this.<SearchResponse>run(SearchAction.INSTANCE, search);

    assertThat(asked).hasSize(3);
    assertThat(asked.get(1)).startsWith("GET /logs-1/_search");
    assertThat(asked.get(2)).startsWith("GET /logs-2/_search");
    answers.forEach(answer -> answer.complete(GRANTED));
    assertThat(executed).containsExactly(search);
  }

  @ParameterizedTest
  @ValueSource(strings = {".kibana_1", "*", ".kibana*"})
  void leaveHiddenIndicesToNodes(String expression) {
    assertPassedThrough(SearchAction.INSTANCE, new SearchRequest(expression), "security-index");
  }

  /** Nodes use the index of the user's tenant in its place, whatever its name is. */
  @Test
  void leaveTheDashboardsIndexToNodes() {
    view = view("logs-1", "dashboards", "dashboards_1", "dashboardslog");
    search("dash*"); // the cache knows it, as one of ordinary indices
    answers.forEach(answer -> answer.complete(GRANTED));
    assertThat(executed).hasSize(1);
    executed.clear();
    client =
        client(
            new SecurityRules(
                true,
                new SecurityRules.IndexRules(false, "dashboards"),
                Set.of(),
                Set.of(),
                NO_ATTRIBUTES,
                SecurityRules.CredentialPlaces.NONE),
            "reader");

    for (String expression : List.of("dashboards", "dashboards_1", "dash*", "dashboards_9", "*")) {
      assertPassedThrough(SearchAction.INSTANCE, new SearchRequest(expression), "security-index");
    }
    assertPassedThrough(GetAction.INSTANCE, new GetRequest("dashboards", "1"), "security-index");
    assertPassedThrough(
        BulkAction.INSTANCE,
        new BulkRequest().add(new IndexRequest("dashboards_1").source(Map.of())),
        "security-index");
    search("dashboardslog");
    answers.forEach(answer -> answer.complete(GRANTED));
    assertThat(executed).hasSize(1);
  }

  @Test
  void leaveMissingIndicesToNodesThatHideForbiddenOnes() {
    client = client(NARROWING, "reader");
    assertPassedThrough(SearchAction.INSTANCE, new SearchRequest("missing"), "security-index");
  }

  /** The user may know that it is missing. */
  @Test
  void searchAMissingIndexOnceANodeHasPermittedIt() {
    search("logs-1", "missing");
    assertThat(asked).hasSize(1);
    answers.getFirst().complete(GRANTED);
    assertThat(executed).hasSize(1);
    assertThat(client.canSearch(List.of("logs-1"))).isFalse();
  }

  /** A node reads in the id which indices it is about. */
  @Test
  void searchAPointInTimeOnceANodePermitsIt() {
    SearchRequest search =
        new SearchRequest()
            .source(new SearchSourceBuilder().pointInTimeBuilder(new PointInTimeBuilder("aB-_9=")));
    this.<SearchResponse>run(SearchAction.INSTANCE, search);
    assertThat(asked).containsExactly("POST /_search?perform_permission_check=true");
    assertThat(executed).isEmpty();
    answers.getFirst().complete(GRANTED);
    assertThat(executed).hasSize(1);
    assertThat(client.canSearch(List.of("logs-1"))).isTrue();
    this.<SearchResponse>run(
        SearchAction.INSTANCE,
        new SearchRequest()
            .source(new SearchSourceBuilder().pointInTimeBuilder(new PointInTimeBuilder("other"))));
    assertThat(asked).hasSize(2);
  }

  @Test
  void leavePointsInTimeWithUnusualIdsToNodes() {
    for (String id : List.of("", "a\"b", "a".repeat(5000))) {
      assertPassedThrough(
          SearchAction.INSTANCE,
          new SearchRequest()
              .source(new SearchSourceBuilder().pointInTimeBuilder(new PointInTimeBuilder(id))),
          "security-action");
    }
  }

  @Test
  void leaveSearchesThatNodesRewriteToNodes() {
    SearchSourceBuilder pit = new SearchSourceBuilder();
    pit.pointInTimeBuilder(new PointInTimeBuilder("id"));
    SearchSourceBuilder indices = new SearchSourceBuilder();
    indices.aggregation(AggregationBuilders.terms("indices").field("_index"));

    assertPassedThrough(
        MultiSearchAction.INSTANCE,
        new MultiSearchRequest().add(new SearchRequest().source(pit)),
        "security-action");
    assertPassedThrough(
        SearchAction.INSTANCE, new SearchRequest("logs-1").source(indices), "security-action");
    assertPassedThrough(
        SearchAction.INSTANCE,
        new SearchRequest("missing-*").scroll(TimeValue.timeValueMinutes(1)),
        "security-action");
    assertPassedThrough(SearchAction.INSTANCE, new SearchRequest("remote:logs-1"), "cross-cluster");
  }

  @Test
  void leaveSearchesToNodesWhoseRestrictionsDataNodesDoNotApply() {
    client = client(RULES, "unproven");
    assertPassedThrough(SearchAction.INSTANCE, new SearchRequest("logs-1"), "security-user");
    assertPassedThrough(
        MultiSearchAction.INSTANCE,
        new MultiSearchRequest().add(new SearchRequest("logs-1")),
        "security-user");
  }

  /** The request cache of a shard does not know users. */
  @Test
  void keepRestrictedSearchesOutOfRequestCaches() {
    client = client(RULES, "restricted");
    SearchRequest search =
        new SearchRequest("logs-1")
            .requestCache(true)
            .source(
                new SearchSourceBuilder()
                    .size(0)
                    .aggregation(AggregationBuilders.terms("a").field("a")));
    this.<SearchResponse>run(SearchAction.INSTANCE, search);
    answers.forEach(answer -> answer.complete(GRANTED));

    assertThat(executed).hasSize(1);
    assertThat(search.requestCache()).isFalse();
    assertThat(search.source().toString()).contains("\"execution_hint\":\"map\"");
  }

  @Test
  void leaveRestrictedSearchesThatNodesRefuseToNodes() {
    client = client(RULES, "restricted");
    SearchSourceBuilder allTerms =
        new SearchSourceBuilder()
            .aggregation(AggregationBuilders.terms("a").field("a").minDocCount(0));
    for (SearchSourceBuilder source :
        List.of(
            allTerms,
            new SearchSourceBuilder().profile(true),
            new SearchSourceBuilder().suggest(new SuggestBuilder()))) {
      assertPassedThrough(
          SearchAction.INSTANCE, new SearchRequest("logs-1").source(source), "security-user");
    }
    client = client(RULES, "reader"); // nodes restrict a user without any role for the indices
    for (String none : List.of("missing-*", "missing")) {
      assertPassedThrough(
          SearchAction.INSTANCE, new SearchRequest(none).source(allTerms), "security-user");
    }
  }

  @Test
  void continueAScrollOnceANodePermitsScrolls() {
    this.<SearchResponse>run(SearchScrollAction.INSTANCE, new SearchScrollRequest("id"));
    assertThat(asked).containsExactly("POST /_search/scroll?perform_permission_check=true");
    assertThat(executed).isEmpty();
    answers.getFirst().complete(GRANTED);
    assertThat(executed).hasSize(1);

    this.<ClearScrollResponse>run(ClearScrollAction.INSTANCE, new ClearScrollRequest());
    assertThat(asked.getLast()).isEqualTo("DELETE /_search/scroll?perform_permission_check=true");
  }

  @Test
  void leaveOtherActionsToNodes() {
    assertPassedThrough(UpdateAction.INSTANCE, new UpdateRequest("logs-1", "1"), "security-action");
  }

  @Test
  void executeNothingWithoutAUser() {
    RequestContext nobody = new RequestContext(Runnable::run, 1, Map.of());
    assertThatThrownBy(() ->
            filter.filter(
                SearchAction.INSTANCE,
                new SearchRequest("logs-1"),
                nobody,
                ActionListener.wrap(r -> {}, this::recordFailure),
                next))
        .isInstanceOf(PassThroughException.class);
    assertThat(executed).isEmpty();
    assertThat(asked).isEmpty();
  }

  @Test
  void sendBulksOnceANodePermitsThem() {
    BulkRequest bulk = new BulkRequest().add(new IndexRequest("logs-1").source(Map.of()));
    this.<BulkResponse>run(BulkAction.INSTANCE, bulk);
    assertThat(asked).containsExactly("POST /_bulk?perform_permission_check=true");
    assertThat(executed).isEmpty();
    answers.getFirst().complete(GRANTED);
    assertThat(executed).hasSize(1);

    executed.clear();
    assertPassedThrough(
        BulkAction.INSTANCE,
        new BulkRequest().add(new IndexRequest(".kibana").source(Map.of())),
        "security-index");
  }

  /** Another attempt at a node would undo a deadline, or a limit. */
  @Test
  void reportTheGatewaysOwnRejectionsOfGets() {
    DeadlineExceededException late =
        DeadlineExceededException.forRead(
            Deadline.after(0, Duration.ofMillis(500), "header X-Weir-Timeout"));
    Exception full = new OpenSearchRejectedExecutionException("the queue is full");
    Exception large = new CircuitBreakingException("too large", Durability.TRANSIENT);
    Exception unknown = new PassThroughException("shards-preference");
    for (Exception own : List.of(late, full, large, unknown)) {
      this.<GetResponse>run(GetAction.INSTANCE, new GetRequest("logs-1", "1"));
      complete("", GRANTED);
      listeners.getLast().onFailure(own);
    }
    assertThat(failures)
        .containsExactly(late.toString(), full.toString(), large.toString(), "shards-preference");
  }

  @Test
  void passThroughGetsThatANodeRejects() {
    this.<GetResponse>run(GetAction.INSTANCE, new GetRequest("logs-1", "1"));
    complete("", GRANTED);
    listeners
        .getFirst()
        .onFailure(
            new RemoteTransportException(
                "n1", new OpenSearchRejectedExecutionException("rejected by a node")));
    assertThat(failures).containsExactly("security-denied");
  }

  /** A node closes the connection of a longer request line. */
  @Test
  void leaveNamesToNodesThatAreTooLongOnceTheyAreEncoded() {
    String index = "\u6771".repeat(460);
    view = view(index);
    assertThat(index).hasSizeLessThan(2_000);
    assertPassedThrough(SearchAction.INSTANCE, new SearchRequest(index), "security-index");
    assertPassedThrough(
        MultiSearchAction.INSTANCE,
        new MultiSearchRequest().add(new SearchRequest(index)),
        "security-index");
    assertThat(asked).isEmpty();
  }

  /** A node authorizes a get when it executes it; its errors go to the client from a node. */
  @Test
  void passThroughGetsThatFail() {
    this.<GetResponse>run(GetAction.INSTANCE, new GetRequest("logs-1", "1"));
    assertThat(executed).hasSize(1);

    listeners.getFirst().onFailure(new IllegalStateException("forbidden"));
    assertThat(failures).containsExactly("security-denied");
  }

  @Test
  void checkRequestsAboutSingleDocuments() {
    this.<IndexResponse>run(IndexAction.INSTANCE, new IndexRequest("logs-1").source(Map.of()));
    this.<DeleteResponse>run(DeleteAction.INSTANCE, new DeleteRequest("logs-1", "1"));

    assertThat(asked)
        .containsExactly(
            "PUT /logs-1/_doc/weir-permission-check"
                + "?if_seq_no=0&if_primary_term=1&perform_permission_check=true",
            "POST /_bulk?perform_permission_check=true",
            "DELETE /logs-1/_doc/weir-permission-check"
                + "?if_seq_no=0&if_primary_term=1&perform_permission_check=true");
    assertThat(executed).isEmpty();
    assertPassedThrough(GetAction.INSTANCE, new GetRequest(".kibana", "1"), "security-index");
  }

  @Test
  void doNothingWhereTheGatewayAuthorizesNothing() {
    active = false;
    this.<ActionResponse>run(
        new ActionType<>(GetAction.NAME, in -> null), new GetRequest("logs-1", "1"));
    assertThat(executed).hasSize(1);
    assertThat(asked).isEmpty();
  }
}
