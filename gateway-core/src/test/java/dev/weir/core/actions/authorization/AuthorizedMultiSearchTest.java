package dev.weir.core.actions.authorization;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.core.actions.authorization.SecurityCheckClient.CheckResponse;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.opensearch.action.search.MultiSearchAction;
import org.opensearch.action.search.MultiSearchRequest;
import org.opensearch.action.search.MultiSearchResponse;
import org.opensearch.action.search.SearchRequest;

/** Searches that are sent together, each permitted by itself. */
class AuthorizedMultiSearchTest extends AuthorizationFilterFixture {
  @Test
  void searchSeveralTimesOnceANodePermitsEach() {
    MultiSearchRequest searches =
        new MultiSearchRequest()
            .add(new SearchRequest("logs-1"))
            .add(new SearchRequest("logs-2"))
            .add(new SearchRequest("logs-1"));
    this.<MultiSearchResponse>run(MultiSearchAction.INSTANCE, searches);
    complete("/_msearch", GRANTED);

    assertThat(asked).hasSize(5);
    assertThat(asked.getFirst()).isEqualTo("POST /_msearch?perform_permission_check=true");
    answers.subList(0, 4).forEach(answer -> answer.complete(GRANTED));
    assertThat(executed).isEmpty();
    answers.get(4).complete(GRANTED);
    assertThat(executed).hasSize(1);
    assertThat(client.canSearch(List.of("logs-1", "logs-2"))).isTrue();
  }

  @Test
  void answerADeniedSearchWithTheReasonOfANode() {
    MultiSearchRequest searches =
        new MultiSearchRequest()
            .add(new SearchRequest("logs-1"))
            .add(new SearchRequest("logs-2"))
            .add(new SearchRequest(".kibana_1"));
    this.<MultiSearchResponse>run(MultiSearchAction.INSTANCE, searches);
    complete("/_msearch", GRANTED);
    complete("logs-2", DENIED);
    complete(".kibana_1", DENIED);
    complete("", GRANTED);

    assertThat(executed).isEmpty();
    assertThat(asked)
        .contains(
            "GET /logs-2/_search?size=0&ignore_unavailable=false"
                + "&allow_no_indices=true&expand_wildcards=open");
    complete("size=0", REFUSED);
    assertThat(executed).hasSize(1);
    assertThat(client.canSearch(List.of("logs-1"))).isTrue();
    assertThat(client.canSearch(List.of("logs-2"))).isFalse();
    assertThat(searches.requests().getFirst()).isNotInstanceOf(DeniedSearch.class);
    for (SearchRequest refused : searches.requests().subList(1, 3)) {
      assertThat(((DeniedSearch) refused).failure()).hasMessage("not you");
    }
  }

  @Test
  void leaveAllSearchesToANodeWhereNoneRefusesOneAnyMore() {
    MultiSearchRequest searches =
        new MultiSearchRequest().add(new SearchRequest("logs-1")).add(new SearchRequest("logs-2"));
    this.<MultiSearchResponse>run(MultiSearchAction.INSTANCE, searches);
    complete("/_msearch", GRANTED);
    complete("logs-2", DENIED);
    complete("", GRANTED);
    complete("size=0", new CheckResponse(200, "{}"));

    assertThat(executed).isEmpty();
    assertThat(failures).containsExactly("security-denied");
  }

  @Test
  void leaveAllSearchesToANodeThatPermitsASpecialOne() {
    MultiSearchRequest searches =
        new MultiSearchRequest()
            .add(new SearchRequest("logs-1"))
            .add(new SearchRequest(".kibana_1"));
    this.<MultiSearchResponse>run(MultiSearchAction.INSTANCE, searches);
    complete("/_msearch", GRANTED);
    complete("", GRANTED);

    assertThat(executed).isEmpty();
    assertThat(failures).containsExactly("security-index");
  }

  /** What a client without this right names would fill memory. */
  @Test
  void askAboutTheSearchesOnlyAfterANodePermitsMultiSearches() {
    MultiSearchRequest searches =
        new MultiSearchRequest().add(new SearchRequest("logs-1")).add(new SearchRequest("missing"));
    this.<MultiSearchResponse>run(MultiSearchAction.INSTANCE, searches);
    assertThat(asked).containsExactly("POST /_msearch?perform_permission_check=true");

    complete("/_msearch", DENIED);
    assertThat(asked).hasSize(1);
    assertThat(failures).containsExactly("security-denied");
  }

  @Test
  void leaveVeryManySearchesToNodes() {
    MultiSearchRequest searches = new MultiSearchRequest();
    for (int i = 0; i < 33; i++) {
      searches.add(new SearchRequest("logs-1"));
    }
    assertPassedThrough(MultiSearchAction.INSTANCE, searches, "security-index");
  }
}
