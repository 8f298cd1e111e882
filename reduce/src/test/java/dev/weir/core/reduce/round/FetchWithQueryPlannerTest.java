package dev.weir.core.reduce.round;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.core.reduce.SearchFixture;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.lucene.search.join.ScoreMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchType;
import org.opensearch.common.unit.TimeValue;
import org.opensearch.index.query.InnerHitBuilder;
import org.opensearch.index.query.QueryBuilders;
import org.opensearch.script.Script;
import org.opensearch.search.Scroll;
import org.opensearch.search.aggregations.AggregationBuilders;
import org.opensearch.search.builder.PointInTimeBuilder;
import org.opensearch.search.builder.SearchSourceBuilder;
import org.opensearch.search.collapse.CollapseBuilder;
import org.opensearch.search.fetch.subphase.highlight.HighlightBuilder;
import org.opensearch.search.rescore.QueryRescorerBuilder;
import org.opensearch.search.slice.SliceBuilder;
import org.opensearch.search.sort.SortOrder;
import org.opensearch.search.suggest.SuggestBuilder;

class FetchWithQueryPlannerTest {
  @Test
  void onlyQueriedShardOfManyFetches() {
    assertThat(decide(new SearchRequest("docs"), 90, 1)).isTrue();
    assertThat(decide(new SearchRequest("docs"), 90, 2)).isFalse();
    assertThat(decide(new SearchRequest("docs"), 90, 0)).isFalse();
    assertThat(decide(new SearchRequest("docs"), 1, 1)).as("it does so anyway").isFalse();
  }

  @Test
  void searchWithoutDocumentsFetchesNone() {
    SearchRequest request = new SearchRequest("docs").source(new SearchSourceBuilder().size(0));

    assertThat(decide(request, 3, 1)).isFalse();
  }

  static Stream<Consumer<SearchRequest>> othersThanPlain() {
    return Stream.of(
        request -> request.scroll(new Scroll(TimeValue.timeValueMinutes(1))),
        request -> request.searchType(SearchType.DFS_QUERY_THEN_FETCH),
        request -> request.source().aggregation(AggregationBuilders.terms("t").field("f")),
        request -> request.source().suggest(new SuggestBuilder()),
        request -> request.source().collapse(new CollapseBuilder("f")),
        request -> request.source().highlighter(new HighlightBuilder().field("f")),
        request -> request.source().slice(new SliceBuilder(0, 2)),
        request -> request.source().pointInTimeBuilder(new PointInTimeBuilder("id")),
        request -> request.source().storedField("f"),
        request -> request.source().profile(true),
        request -> request.source().explain(true),
        request ->
            request.source().addRescorer(new QueryRescorerBuilder(QueryBuilders.matchAllQuery())),
        request -> request.source().docValueField("f"),
        request -> request.source().fetchField("f"),
        request -> request.source().scriptField("f", new Script("1")),
        request -> request.source().query(QueryBuilders.wrapperQuery("{}")),
        request ->
            request
                .source()
                .query(
                    QueryBuilders.boolQuery()
                        .filter(
                            QueryBuilders.nestedQuery(
                                    "n", QueryBuilders.matchAllQuery(), ScoreMode.None)
                                .innerHit(new InnerHitBuilder()))));
  }

  @ParameterizedTest
  @MethodSource("othersThanPlain")
  void searchForMoreThanDocumentsFetchesAfterwards(Consumer<SearchRequest> change) {
    SearchRequest request =
        new SearchRequest("docs")
            .source(
                new SearchSourceBuilder()
                    .query(QueryBuilders.boolQuery().must(QueryBuilders.termQuery("a", "b")))
                    .sort("n", SortOrder.ASC));
    assertThat(decide(request, 3, 1)).isTrue();

    change.accept(request);

    assertThat(decide(request, 3, 1)).isFalse();
  }

  private static boolean decide(SearchRequest request, int shards, int queried) {
    return FetchWithQueryPlanner.canFetchWithQuery(SearchFixture.scope(request, shards), queried);
  }
}
