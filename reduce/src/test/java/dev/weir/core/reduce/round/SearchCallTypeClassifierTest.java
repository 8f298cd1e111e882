package dev.weir.core.reduce.round;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.core.reduce.SearchFixture;
import dev.weir.model.NodeCallType;
import org.junit.jupiter.api.Test;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.index.query.QueryBuilders;
import org.opensearch.script.Script;
import org.opensearch.search.aggregations.AggregationBuilders;
import org.opensearch.search.builder.SearchSourceBuilder;
import org.opensearch.search.sort.ScriptSortBuilder;

class SearchCallTypeClassifierTest {
  private static NodeCallType of(SearchSourceBuilder source) {
    return SearchCallTypeClassifier.perShard(new SearchRequest().source(source), 3);
  }

  private static SearchSourceBuilder source() {
    return new SearchSourceBuilder();
  }

  @Test
  void tellsHitsFromCountsAndManyHits() {
    assertThat(SearchCallTypeClassifier.perShard(new SearchRequest(), 3))
        .isEqualTo(NodeCallType.HITS);
    assertThat(of(source().query(QueryBuilders.matchQuery("body", "x"))))
        .isEqualTo(NodeCallType.HITS);
    assertThat(of(source().size(0))).isEqualTo(NodeCallType.COUNT);
    assertThat(of(source().size(100))).isEqualTo(NodeCallType.HITS);
    assertThat(of(source().from(91).size(10))).isEqualTo(NodeCallType.MANY_HITS);
  }

  @Test
  void recognizeQueryAndFetch() {
    assertThat(SearchCallTypeClassifier.perShard(new SearchRequest().source(source()), 1))
        .isEqualTo(NodeCallType.QUERY_AND_FETCH);
    assertThat(SearchCallTypeClassifier.perShard(new SearchRequest().source(source().size(500)), 1))
        .isEqualTo(NodeCallType.QUERY_AND_FETCH_MANY);
    assertThat(SearchCallTypeClassifier.perShard(new SearchRequest().source(source().size(0)), 1))
        .isEqualTo(NodeCallType.COUNT);
  }

  @Test
  void classifyAScopeByItsShards() {
    SearchRequest request = new SearchRequest().source(source().sort("n").sort("_score"));

    assertThat(SearchFixture.scope(request, 1).work()).isEqualTo(NodeCallType.QUERY_AND_FETCH);
    assertThat(SearchFixture.scope(request, 2).work()).isEqualTo(NodeCallType.HITS);
  }

  @Test
  void tellsAggregationsAndScripts() {
    Script script = new Script("1");
    assertThat(of(source().size(0).aggregation(AggregationBuilders.terms("t").field("k"))))
        .isEqualTo(NodeCallType.AGGREGATIONS);
    assertThat(
            of(source().query(QueryBuilders.boolQuery().filter(QueryBuilders.scriptQuery(script)))))
        .isEqualTo(NodeCallType.SCRIPTS);
    assertThat(of(source().query(QueryBuilders.wildcardQuery("k", "a*"))))
        .isEqualTo(NodeCallType.SCRIPTS);
    assertThat(
            of(
                source()
                    .sort(new ScriptSortBuilder(script, ScriptSortBuilder.ScriptSortType.NUMBER))))
        .isEqualTo(NodeCallType.SCRIPTS);
    assertThat(of(source().scriptField("f", script))).isEqualTo(NodeCallType.SCRIPTS);
  }
}
