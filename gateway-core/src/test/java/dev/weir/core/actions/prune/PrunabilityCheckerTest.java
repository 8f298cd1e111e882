package dev.weir.core.actions.prune;

import static org.assertj.core.api.Assertions.assertThat;
import static org.opensearch.search.aggregations.AggregationBuilders.filter;
import static org.opensearch.search.aggregations.AggregationBuilders.global;
import static org.opensearch.search.aggregations.AggregationBuilders.max;
import static org.opensearch.search.aggregations.AggregationBuilders.percentiles;
import static org.opensearch.search.aggregations.AggregationBuilders.significantTerms;
import static org.opensearch.search.aggregations.AggregationBuilders.terms;

import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchType;
import org.opensearch.common.unit.TimeValue;
import org.opensearch.index.query.QueryBuilders;
import org.opensearch.script.Script;
import org.opensearch.search.builder.PointInTimeBuilder;
import org.opensearch.search.builder.SearchSourceBuilder;
import org.opensearch.search.suggest.SuggestBuilder;

class PrunabilityCheckerTest {
  private static boolean prunable(Consumer<SearchSourceBuilder> source) {
    SearchRequest request = search();
    source.accept(request.source());
    return PrunabilityChecker.isPrunable(request);
  }

  private static SearchRequest search() {
    return new SearchRequest("logs-*")
        .source(
            new SearchSourceBuilder().query(QueryBuilders.rangeQuery("@timestamp").gte("now-1h")));
  }

  @Test
  void plainSearchesAre() {
    assertThat(prunable(source -> {})).isTrue();
    assertThat(prunable(source -> source.size(0).trackTotalHits(true).minScore(1))).isTrue();
    assertThat(
            prunable(source ->
                source.aggregation(terms("t").field("word").subAggregation(max("m").field("n")))))
        .isTrue();
  }

  @Test
  void thoseThatSeeMoreThanTheirHitsAreNot() {
    assertThat(prunable(source -> source.query(null))).isFalse();
    assertThat(prunable(source -> source.query(QueryBuilders.matchAllQuery()))).isFalse();
    assertThat(prunable(source -> source.suggest(new SuggestBuilder()))).isFalse();
    assertThat(prunable(source -> source.profile(true))).isFalse();
    assertThat(prunable(source -> source.derivedField("@timestamp", "date", new Script("emit(1)"))))
        .isFalse();
    assertThat(prunable(source -> source.aggregation(global("g")))).isFalse();
    assertThat(prunable(source -> source.aggregation(significantTerms("s").field("word"))))
        .isFalse();
    assertThat(prunable(source -> source.aggregation(percentiles("p").field("n")))).isFalse();
    assertThat(
            prunable(source ->
                source.aggregation(
                    filter("f", QueryBuilders.matchAllQuery())
                        .subAggregation(terms("t").field("word").minDocCount(0)))))
        .isFalse();
    assertThat(
            prunable(source ->
                source.aggregation(
                    filter("f", QueryBuilders.matchAllQuery())
                        .subAggregation(significantTerms("s").field("word")))))
        .isFalse();
  }

  @Test
  void thoseThatNeedEveryShardAreNot() {
    assertThat(PrunabilityChecker.isPrunable(search())).isTrue();
    assertThat(PrunabilityChecker.isPrunable(search().searchType(SearchType.DFS_QUERY_THEN_FETCH)))
        .isFalse();
    assertThat(PrunabilityChecker.isPrunable(search().scroll(TimeValue.timeValueMinutes(1))))
        .isFalse();
    SearchRequest pit = search();
    pit.source().pointInTimeBuilder(new PointInTimeBuilder("id"));
    assertThat(PrunabilityChecker.isPrunable(pit)).isFalse();
    assertThat(PrunabilityChecker.isPrunable(new SearchRequest("logs-*"))).isFalse();
  }
}
