package dev.weir.responses.sampling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.opensearch.search.aggregations.AggregationBuilders.avg;
import static org.opensearch.search.aggregations.AggregationBuilders.cardinality;
import static org.opensearch.search.aggregations.AggregationBuilders.dateHistogram;
import static org.opensearch.search.aggregations.AggregationBuilders.extendedStats;
import static org.opensearch.search.aggregations.AggregationBuilders.histogram;
import static org.opensearch.search.aggregations.AggregationBuilders.max;
import static org.opensearch.search.aggregations.AggregationBuilders.min;
import static org.opensearch.search.aggregations.AggregationBuilders.percentiles;
import static org.opensearch.search.aggregations.AggregationBuilders.stats;
import static org.opensearch.search.aggregations.AggregationBuilders.sum;
import static org.opensearch.search.aggregations.AggregationBuilders.terms;

import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchType;
import org.opensearch.common.unit.TimeValue;
import org.opensearch.index.query.QueryBuilders;
import org.opensearch.search.aggregations.BucketOrder;
import org.opensearch.search.aggregations.PipelineAggregatorBuilders;
import org.opensearch.search.aggregations.bucket.histogram.DateHistogramInterval;
import org.opensearch.search.aggregations.bucket.terms.TermsAggregationBuilder;
import org.opensearch.search.aggregations.metrics.PercentilesConfig;
import org.opensearch.search.builder.PointInTimeBuilder;
import org.opensearch.search.builder.SearchSourceBuilder;
import org.opensearch.search.collapse.CollapseBuilder;
import org.opensearch.search.internal.SearchContext;
import org.opensearch.search.rescore.QueryRescorerBuilder;
import org.opensearch.search.suggest.SuggestBuilder;

class SampledRequestRewriteTest {
  private static SearchRequest request(Consumer<SearchSourceBuilder> more) {
    SearchSourceBuilder source = new SearchSourceBuilder().size(0);
    more.accept(source);
    return new SearchRequest("docs").source(source);
  }

  private static SampledRequestRewrite rewrite(SearchRequest request) {
    return SampledRequestRewrite.rewrite(request);
  }

  static Stream<Arguments> refused() {
    return Stream.of(
        of("a search for hits", source -> source.size(10)),
        of("a point in time", s -> s.pointInTimeBuilder(new PointInTimeBuilder("x"))),
        of("[search_after]", source -> source.searchAfter(new Object[] {1})),
        of("[terminate_after]", source -> source.terminateAfter(5)),
        of("[collapse]", source -> source.collapse(new CollapseBuilder("a"))),
        of("[rescore]", source -> source.addRescorer(rescorer())),
        of("[suggest]", source -> source.suggest(new SuggestBuilder())),
        of("[profile]", source -> source.profile(true)),
        of("[d] (cardinality)", source -> source.aggregation(cardinality("d").field("f"))),
        of("a search of its own for it", s -> s.aggregation(cardinality("d").field("f"))),
        of("[s] (extended_stats)", source -> source.aggregation(extendedStats("s").field("f"))),
        of(
            "[p] (percentiles)",
            source ->
                source.aggregation(
                    percentiles("p").field("f").percentilesConfig(new PercentilesConfig.Hdr()))),
        of(
            "[s] (extended_stats) in [t]",
            source -> source.aggregation(terms("t").subAggregation(extendedStats("s").field("f")))),
        of(
            "[inner] (terms) in [t]",
            source -> source.aggregation(terms("t").subAggregation(terms("inner")))),
        of(
            "called [doc_count_bounds]",
            source -> source.aggregation(terms("t").subAggregation(sum("doc_count_bounds")))),
        of(
            "pipeline aggregation [p]",
            source -> source.aggregation(PipelineAggregatorBuilders.sumBucket("p", "t>s"))),
        of(
            "pipeline aggregation [p]",
            source ->
                source.aggregation(
                    histogram("h")
                        .interval(1)
                        .subAggregation(PipelineAggregatorBuilders.derivative("p", "_count")))),
        of("rarest", ordered(t -> t.order(BucketOrder.count(true)))),
        of("by another aggregation", ordered(t -> t.order(BucketOrder.aggregation("s", true)))),
        of(
            "by another aggregation",
            ordered(t ->
                t.order(
                    BucketOrder.compound(
                        BucketOrder.count(false), BucketOrder.aggregation("s", true))))),
        of("[min_doc_count: 0]", ordered(t -> t.minDocCount(0))),
        of("over 1", ordered(t -> t.minDocCount(2).order(BucketOrder.key(true)))),
        of("[shard_min_doc_count]", ordered(t -> t.minDocCount(5).shardMinDocCount(2))));
  }

  private static QueryRescorerBuilder rescorer() {
    return new QueryRescorerBuilder(QueryBuilders.matchAllQuery());
  }

  private static Arguments of(String told, Consumer<SearchSourceBuilder> more) {
    return Arguments.of(told, more);
  }

  private static Consumer<SearchSourceBuilder> ordered(Consumer<TermsAggregationBuilder> more) {
    TermsAggregationBuilder terms = new TermsAggregationBuilder("t");
    more.accept(terms);
    return source -> source.aggregation(terms);
  }

  @ParameterizedTest
  @MethodSource("refused")
  void rejectSearchesThatCannotBeEstimated(String told, Consumer<SearchSourceBuilder> more) {
    SearchRequest request = request(more);
    assertThatThrownBy(() -> rewrite(request))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(told)
        .hasMessageContaining("can't be sampled (expected: ");
  }

  @Test
  void acceptsExtremesStatsAndPercentiles() {
    SearchRequest request =
        request(source ->
            source
                .aggregation(min("a").field("f"))
                .aggregation(max("b").field("f"))
                .aggregation(stats("c").field("f"))
                .aggregation(terms("d").field("g").subAggregation(percentiles("e").field("f"))));
    assertThat(rewrite(request).buckets("d")).isNotNull();
  }

  @Test
  void refusesScrollsAndTermStatistics() {
    assertThatThrownBy(() -> rewrite(request(s -> {}).scroll(TimeValue.timeValueMinutes(1))))
        .hasMessageContaining("[scroll]");
    assertThatThrownBy(() -> rewrite(request(s -> {}).searchType(SearchType.DFS_QUERY_THEN_FETCH)))
        .hasMessageContaining("dfs_query_then_fetch");
    assertThatThrownBy(() -> rewrite(new SearchRequest("docs")))
        .hasMessageContaining("\"size\": 0");
  }

  @Test
  void countsAllHitsUnlessNoneAreWanted() {
    SearchRequest some = request(source -> source.trackTotalHitsUpTo(100));
    assertThat(rewrite(some).hasHitCount()).isTrue();
    assertThat(some.resolveTrackTotalHitsUpTo()).isEqualTo(SearchContext.TRACK_TOTAL_HITS_ACCURATE);
    SearchRequest none = request(source -> source.trackTotalHits(false));
    assertThat(rewrite(none).hasHitCount()).isFalse();
    assertThat(none.resolveTrackTotalHitsUpTo()).isEqualTo(SearchContext.TRACK_TOTAL_HITS_DISABLED);
  }

  @Test
  void hasShardsListMoreTermsWithFewerDocuments() {
    TermsAggregationBuilder few = new TermsAggregationBuilder("few").minDocCount(7);
    TermsAggregationBuilder many = new TermsAggregationBuilder("many").size(1000);
    TermsAggregationBuilder own = new TermsAggregationBuilder("own").shardSize(9999);
    TermsAggregationBuilder byKey =
        new TermsAggregationBuilder("by-key").order(BucketOrder.key(false));
    SampledRequestRewrite asked =
        rewrite(
            request(source ->
                source.aggregation(few).aggregation(many).aggregation(own).aggregation(byKey)));
    assertThat(few.minDocCount()).isEqualTo(1);
    assertThat(few.shardSize()).isEqualTo(250);
    assertThat(many.shardSize()).isEqualTo(6000);
    assertThat(own.shardSize()).isEqualTo(9999);
    assertThat(byKey.shardSize()).isEqualTo(-1);
    assertThat(Objects.requireNonNull(asked.buckets("few")).minDocCount()).isEqualTo(7);
    assertThat(Objects.requireNonNull(asked.buckets("few")).size()).isEqualTo(10);
    assertThat(Objects.requireNonNull(asked.buckets("many")).size()).isEqualTo(1000);
  }

  @Test
  void leavesGapsOfHistogramsToTheReduction() {
    var filled = dateHistogram("filled").calendarInterval(DateHistogramInterval.DAY);
    var least = histogram("least").interval(5).minDocCount(20).order(BucketOrder.count(true));
    SampledRequestRewrite asked =
        rewrite(
            request(source ->
                source.aggregation(filled).aggregation(least.subAggregation(avg("a").field("f")))));
    assertThat(filled.minDocCount()).isZero();
    assertThat(least.minDocCount()).isEqualTo(1);
    assertThat(Objects.requireNonNull(asked.buckets("least")).minDocCount()).isEqualTo(20);
    assertThat(asked.buckets("a")).isNull();
  }
}
