package dev.weir.core.actions.passthrough;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.rest.PassThroughReasons;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.script.Script;
import org.opensearch.search.aggregations.AggregationBuilder;
import org.opensearch.search.aggregations.AggregationBuilders;
import org.opensearch.search.aggregations.PipelineAggregatorBuilders;
import org.opensearch.search.aggregations.bucket.histogram.HistogramAggregationBuilder;
import org.opensearch.search.builder.SearchSourceBuilder;

class ForwardableSearchClassifierTest {
  private static HistogramAggregationBuilder scripted() {
    HistogramAggregationBuilder buckets = AggregationBuilders.histogram("h").interval(1).field("n");
    buckets.subAggregation(
        PipelineAggregatorBuilders.bucketScript(
            "s", Map.of("c", "_count"), new Script("params.c")));
    return buckets;
  }

  private static SearchRequest search(AggregationBuilder aggregation) {
    return new SearchRequest("a").source(new SearchSourceBuilder().aggregation(aggregation));
  }

  private static boolean isForwardable(AggregationBuilder aggregation) {
    return ForwardableSearchClassifier.isForwardable(
        search(aggregation), PassThroughReasons.SCRIPT);
  }

  @Test
  void forwardScriptsOfPipelineAggregations() {
    assertThat(isForwardable(scripted())).isTrue();
    assertThat(isForwardable(scripted().subAggregation(AggregationBuilders.avg("a").field("n"))))
        .isTrue();
  }

  @Test
  void keepWhatChangesOnItsWayToTheGateway() {
    assertThat(
            isForwardable(
                scripted().subAggregation(AggregationBuilders.percentiles("p").field("n"))))
        .isFalse();
    assertThat(isForwardable(AggregationBuilders.scriptedMetric("m"))).isFalse();
    assertThat(
            isForwardable(
                AggregationBuilders.terms("t")
                    .field("k")
                    .subAggregation(AggregationBuilders.significantTerms("g").field("k"))))
        .isFalse();
  }

  @Test
  void forwardSearchesOfOtherClusters() {
    assertThat(
            ForwardableSearchClassifier.isForwardable(
                new SearchRequest("other:b"), PassThroughReasons.CROSS_CLUSTER))
        .isTrue();
  }

  @Test
  void keepPipelinesAndUsers() {
    SearchRequest search = new SearchRequest("a");
    assertThat(
            ForwardableSearchClassifier.isForwardable(search, PassThroughReasons.SEARCH_PIPELINE))
        .isFalse();
    assertThat(ForwardableSearchClassifier.isForwardable(search, PassThroughReasons.SECURITY_USER))
        .isFalse();
  }
}
