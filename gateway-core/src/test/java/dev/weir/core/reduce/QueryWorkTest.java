package dev.weir.core.reduce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.Work;
import org.junit.jupiter.api.Test;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.index.query.QueryBuilders;
import org.opensearch.script.Script;
import org.opensearch.search.aggregations.AggregationBuilders;
import org.opensearch.search.builder.SearchSourceBuilder;
import org.opensearch.search.sort.ScriptSortBuilder;

class QueryWorkTest {
  private static Work of(SearchSourceBuilder source) {
    return QueryWork.of(new SearchRequest().source(source), 3);
  }

  private static SearchSourceBuilder source() {
    return new SearchSourceBuilder();
  }

  @Test
  void tellsHitsFromCountsAndManyHits() {
    assertThat(QueryWork.of(new SearchRequest(), 3)).isEqualTo(Work.HITS);
    assertThat(of(source().query(QueryBuilders.matchQuery("body", "x")))).isEqualTo(Work.HITS);
    assertThat(of(source().size(0))).isEqualTo(Work.COUNT);
    assertThat(of(source().size(100))).isEqualTo(Work.HITS);
    assertThat(of(source().from(91).size(10))).isEqualTo(Work.MANY_HITS);
  }

  @Test
  void tellsWhatFetchesInTheSameTrip() {
    assertThat(QueryWork.of(new SearchRequest().source(source()), 1)).isEqualTo(Work.HITS_FETCHED);
    assertThat(QueryWork.of(new SearchRequest().source(source().size(500)), 1))
        .isEqualTo(Work.MANY_HITS_FETCHED);
    assertThat(QueryWork.of(new SearchRequest().source(source().size(0)), 1)).isEqualTo(Work.COUNT);
  }

  @Test
  void tellsAggregationsAndScripts() {
    Script script = new Script("1");
    assertThat(of(source().size(0).aggregation(AggregationBuilders.terms("t").field("k"))))
        .isEqualTo(Work.AGGREGATIONS);
    assertThat(
            of(source().query(QueryBuilders.boolQuery().filter(QueryBuilders.scriptQuery(script)))))
        .isEqualTo(Work.SCRIPTS);
    assertThat(of(source().query(QueryBuilders.wildcardQuery("k", "a*")))).isEqualTo(Work.SCRIPTS);
    assertThat(
            of(
                source()
                    .sort(new ScriptSortBuilder(script, ScriptSortBuilder.ScriptSortType.NUMBER))))
        .isEqualTo(Work.SCRIPTS);
    assertThat(of(source().scriptField("f", script))).isEqualTo(Work.SCRIPTS);
  }
}
