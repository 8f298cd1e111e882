package dev.weir.responses.sampling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.weir.model.SamplingSpec;
import dev.weir.responses.sampling.ShardSample.Estimates;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.apache.lucene.util.BytesRef;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.common.util.BigArrays;
import org.opensearch.common.xcontent.XContentHelper;
import org.opensearch.common.xcontent.json.JsonXContent;
import org.opensearch.core.xcontent.ToXContent;
import org.opensearch.core.xcontent.XContentBuilder;
import org.opensearch.search.DocValueFormat;
import org.opensearch.search.aggregations.BucketOrder;
import org.opensearch.search.aggregations.InternalAggregation;
import org.opensearch.search.aggregations.InternalAggregation.ReduceContext;
import org.opensearch.search.aggregations.InternalAggregations;
import org.opensearch.search.aggregations.bucket.histogram.HistogramAggregationBuilder;
import org.opensearch.search.aggregations.bucket.histogram.InternalHistogram;
import org.opensearch.search.aggregations.bucket.terms.LongTerms;
import org.opensearch.search.aggregations.bucket.terms.StringTerms;
import org.opensearch.search.aggregations.bucket.terms.TermsAggregationBuilder;
import org.opensearch.search.aggregations.bucket.terms.TermsAggregator.BucketCountThresholds;
import org.opensearch.search.aggregations.metrics.AvgAggregationBuilder;
import org.opensearch.search.aggregations.metrics.InternalAvg;
import org.opensearch.search.aggregations.metrics.InternalSum;
import org.opensearch.search.aggregations.metrics.InternalValueCount;
import org.opensearch.search.aggregations.metrics.SumAggregationBuilder;
import org.opensearch.search.aggregations.metrics.ValueCountAggregationBuilder;
import org.opensearch.search.aggregations.pipeline.PipelineAggregator.PipelineTree;
import org.opensearch.search.builder.SearchSourceBuilder;

class ShardSampleTest {
  private static final BucketOrder COUNT = BucketOrder.compound(BucketOrder.count(false));

  private final SampleCounts counts = new SampleCounts();
  private int paid;

  /** A sample of 3 of 30 shards. */
  private ShardSample sample(Consumer<SearchSourceBuilder> more) {
    SearchSourceBuilder source = new SearchSourceBuilder().size(0);
    more.accept(source);
    return SampledSearchSpec.create(
            new SearchRequest("docs").source(source),
            new SamplingSpec(0.1, 0, null, 0.95),
            7,
            2,
            counts)
        .drawSample(Collections.nCopies(30, "docs"));
  }

  private Estimates estimate(ShardSample sample, InternalAggregation... shards) {
    List<SampledShardResult> answers = new ArrayList<>();
    List<InternalAggregations> all = new ArrayList<>();
    for (InternalAggregation shard : shards) {
      all.add(InternalAggregations.from(List.of(shard)));
      answers.add(new SampledShardResult(answers.size(), 10, all.getLast()));
    }
    // reducing terms changes them, so only the gaps of histograms are taken from the reduction
    InternalAggregations reduced =
        shards[0] instanceof StringTerms
            ? all.getFirst()
            : InternalAggregations.topLevelReduce(
                all,
                ReduceContext.forFinalReduction(
                    BigArrays.NON_RECYCLING_INSTANCE, null, buckets -> {}, PipelineTree.EMPTY));
    return sample.estimate(answers, reduced, true, buckets -> paid += buckets);
  }

  private static Map<String, Object> json(InternalAggregations aggregations, boolean typed) {
    ToXContent.Params params =
        new ToXContent.MapParams(Map.of("typed_keys", Boolean.toString(typed)));
    try (XContentBuilder builder = XContentBuilder.builder(JsonXContent.jsonXContent)) {
      builder.startObject();
      aggregations.toXContent(builder, params);
      builder.endObject();
      return map(
          XContentHelper.convertToMap(JsonXContent.jsonXContent, builder.toString(), true)
              .get("aggregations"));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static Map<String, Object> json(Estimates estimates, String name) {
    return map(json(Objects.requireNonNull(estimates.aggregations()), false).get(name));
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> map(@Nullable Object value) {
    return (Map<String, Object>) Objects.requireNonNull(value);
  }

  @SuppressWarnings("unchecked")
  private static List<Map<String, Object>> buckets(Map<String, Object> aggregation) {
    return (List<Map<String, Object>>) Objects.requireNonNull(aggregation.get("buckets"));
  }

  private static Map<String, Object> bounds(Map<String, Object> of) {
    return map(of.containsKey("bounds") ? of.get("bounds") : of.get("doc_count_bounds"));
  }

  private static double lower(Map<String, Object> of) {
    return ((Number) Objects.requireNonNull(bounds(of).get("lower"))).doubleValue();
  }

  private static double upper(Map<String, Object> of) {
    return ((Number) Objects.requireNonNull(bounds(of).get("upper"))).doubleValue();
  }

  private static StringTerms.Bucket term(String term, long count, InternalAggregation... metrics) {
    return new StringTerms.Bucket(
        new BytesRef(term),
        count,
        InternalAggregations.from(List.of(metrics)),
        false,
        0,
        DocValueFormat.RAW);
  }

  /** The result of a shard that may list this many terms. */
  private static StringTerms terms(int shardSize, long others, StringTerms.Bucket... buckets) {
    return terms(shardSize, others, 0, buckets);
  }

  /** The same, merged from truncated lists. */
  private static StringTerms terms(
      int shardSize, long others, long error, StringTerms.Bucket... buckets) {
    Arrays.sort(buckets, (one, other) -> one.compareKey(other));
    return new StringTerms(
        "colours",
        BucketOrder.key(true),
        COUNT,
        null,
        DocValueFormat.RAW,
        shardSize,
        false,
        others,
        List.of(buckets),
        error,
        new BucketCountThresholds(1, 0, 2, shardSize));
  }

  private static InternalSum sum(double sum) {
    return new InternalSum("sum", sum, DocValueFormat.RAW, null);
  }

  @Test
  void saysWhyASampleSavesNothing() {
    assertThat(sample(search -> {}).describeEmpty()).doesNotContainKeys("sampled", "reason");
    assertThat(described(new SamplingSpec(0.1, 0, null, 0.95), 2))
        .containsEntry("sampled", false)
        .containsEntry(
            "reason",
            "each index is queried in at least 3 shards ([sampling.min-shards-per-index]), which"
                + " are all 2 shards of the search");
    assertThat(described(new SamplingSpec(1, 0, null, 0.95), 30))
        .containsEntry("reason", "the request asks for all 30 shards");
    assertThat(described(new SamplingSpec(0.5, 0, null, 0.95), 0))
        .containsEntry("reason", "the search has no shards");
  }

  private Map<String, Object> described(SamplingSpec spec, int shards) {
    return SampledSearchSpec.create(
            new SearchRequest("docs").source(new SearchSourceBuilder().size(0)), spec, 7, 3, counts)
        .drawSample(Collections.nCopies(shards, "docs"))
        .describeEmpty();
  }

  @Test
  void termsAreOrderedAndCutByTheirEstimates() {
    ShardSample sample =
        sample(source ->
            source.aggregation(new TermsAggregationBuilder("colours").size(2).field("colour")));
    Estimates estimates =
        estimate(
            sample,
            terms(250, 0, term("red", 10), term("blue", 9), term("grey", 1)),
            terms(250, 0, term("red", 14), term("blue", 30), term("black", 2)),
            terms(250, 0, term("red", 12), term("blue", 9)));
    Map<String, Object> colours = json(estimates, "colours");
    assertThat(buckets(colours)).extracting(b -> b.get("key")).containsExactly("blue", "red");
    assertThat(buckets(colours)).extracting(b -> b.get("doc_count")).containsExactly(480, 360);
    assertThat(colours).containsEntry("sum_other_doc_count", 30);
    assertThat(colours).containsEntry("doc_count_error_upper_bound", 0);
    Map<String, Object> red = buckets(colours).get(1);
    // s^2 = 4, 30^2 * 0.9 * 4 / 3, t = 4.303
    double off = 4.3027 * Math.sqrt(900 * 0.9 * 4 / 3);
    assertThat(lower(red)).isEqualTo(Math.floor(360 - off));
    assertThat(upper(red)).isEqualTo(Math.ceil(360 + off));
    assertThat(lower(buckets(colours).get(0))).isEqualTo(48); // as counted in the sample
    assertThat(paid).isGreaterThanOrEqualTo(8);
  }

  @Test
  void widenTheBoundsByUnlistedTerms() {
    ShardSample sample =
        sample(source ->
            source.aggregation(
                new TermsAggregationBuilder("colours")
                    .size(2)
                    .subAggregation(new SumAggregationBuilder("sum").field("f"))));
    StringTerms[] shards = {
      terms(2, 40, term("red", 100, sum(5)), term("blue", 30, sum(1))),
      terms(2, 50, term("red", 104, sum(6)), term("grey", 40, sum(1))),
      terms(2, 60, term("red", 102, sum(7)), term("blue", 20, sum(1)))
    };
    Map<String, Object> colours = json(estimate(sample, shards), "colours");
    assertThat(buckets(colours)).extracting(b -> b.get("key")).containsExactly("red", "blue");
    assertThat(colours).containsEntry("doc_count_error_upper_bound", 10 * (30 + 40 + 20));
    assertThat(colours).containsEntry("sum_other_doc_count", 10 * (40 + 50 + 60 + 40));
    Map<String, Object> red = buckets(colours).get(0);
    Map<String, Object> blue = buckets(colours).get(1);
    assertThat(upper(red)).isLessThan(3400);
    assertThat(bounds(map(red.get("sum"))))
        .containsKeys("lower", "upper")
        .doesNotContainValue(null);
    double s =
        Math.sqrt(
            900
                * 0.9
                * (((30 - 50 / 3.0) * (30 - 50 / 3.0)
                        + (50 / 3.0) * (50 / 3.0)
                        + (20 - 50 / 3.0) * (20 - 50 / 3.0))
                    / 2)
                / 3);
    assertThat(upper(blue)).isEqualTo(Math.ceil(500 + 4.3027 * s + 10 * 40), within(1.0));
    assertThat(bounds(map(blue.get("sum"))))
        .containsEntry("lower", null)
        .containsEntry("upper", null);
    assertThat(map(blue.get("sum"))).containsEntry("value", 20.0);
  }

  /** Truncated in each slice's list, or afterwards in the merged list. */
  @Test
  void addUnlistedTermsOfSlicesToThoseOfTheShard() {
    ShardSample sample =
        sample(source -> source.aggregation(new TermsAggregationBuilder("colours").size(2)));
    Map<String, Object> colours =
        json(
            estimate(
                sample,
                terms(2, 40, 4, term("red", 100), term("blue", 30)),
                terms(2, 50, term("red", 104), term("grey", 40)),
                terms(2, 60, 7, term("red", 102), term("grey", 20))),
            "colours");
    assertThat(colours).containsEntry("doc_count_error_upper_bound", 10 * (34 + 40 + 27));
  }

  @Test
  void giveNoBoundsForMetricsThatAreEqualInAllShards() {
    ShardSample sample =
        sample(source ->
            source
                .aggregation(new SumAggregationBuilder("sum").field("f"))
                .aggregation(new AvgAggregationBuilder("average").field("f")));
    Map<String, Object> sum = json(estimate(sample, sum(0), sum(0), sum(0)), "sum");
    assertThat(sum).containsEntry("value", 0.0);
    assertThat(bounds(sum)).containsEntry("lower", null).containsEntry("upper", null);
    Map<String, Object> average =
        json(estimate(sample, average(0, 0), average(12, 4), average(0, 0)), "average");
    assertThat(average).containsEntry("value", 3.0);
    assertThat(bounds(average)).containsEntry("lower", null).containsEntry("upper", null);
  }

  @Test
  void bucketsOfTooFewDocumentsAreLeftOutByTheirEstimates() {
    ShardSample sample =
        sample(
            source -> source.aggregation(new TermsAggregationBuilder("colours").minDocCount(100)));
    Estimates estimates =
        estimate(
            sample,
            terms(250, 0, term("red", 4), term("blue", 3)),
            terms(250, 0, term("red", 4), term("blue", 3)),
            terms(250, 0, term("red", 3), term("blue", 3)));
    assertThat(buckets(json(estimates, "colours")))
        .extracting(b -> b.get("key"))
        .containsExactly("red");
  }

  @Test
  void differentTypesOfAFieldAreRefused() {
    ShardSample sample =
        sample(source -> source.aggregation(new TermsAggregationBuilder("colours")));
    LongTerms numbers =
        new LongTerms(
            "colours",
            BucketOrder.key(true),
            COUNT,
            null,
            DocValueFormat.RAW,
            250,
            false,
            0,
            List.of(),
            0,
            new BucketCountThresholds(1, 0, 2, 250));
    List<SampledShardResult> answers =
        List.of(
            new SampledShardResult(0, 1, InternalAggregations.from(List.of(terms(250, 0)))),
            new SampledShardResult(1, 1, InternalAggregations.from(List.of(numbers))));
    InternalAggregations reduced = InternalAggregations.from(List.of(terms(250, 0)));
    assertThatThrownBy(() -> sample.estimate(answers, reduced, true, buckets -> {}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("different types");
  }

  private static InternalHistogram histogram(InternalHistogram.Bucket... buckets) {
    return new InternalHistogram(
        "prices",
        List.of(buckets),
        BucketOrder.key(true),
        0,
        new InternalHistogram.EmptyBucketInfo(
            10,
            0,
            Double.POSITIVE_INFINITY,
            Double.NEGATIVE_INFINITY,
            InternalAggregations.from(List.of(average(0, 0)))),
        DocValueFormat.RAW,
        false,
        null);
  }

  private static InternalAvg average(double sum, long count) {
    return new InternalAvg("average", sum, count, DocValueFormat.RAW, null);
  }

  private static InternalHistogram.Bucket bucket(double key, long count, double sum) {
    return new InternalHistogram.Bucket(
        key,
        count,
        false,
        DocValueFormat.RAW,
        InternalAggregations.from(List.of(average(sum, count))));
  }

  @Test
  void estimateHistogramsWithGapsAndAverages() {
    ShardSample sample =
        sample(source ->
            source.aggregation(
                new HistogramAggregationBuilder("prices")
                    .interval(10)
                    .subAggregation(new AvgAggregationBuilder("average").field("f"))));
    Estimates estimates =
        estimate(
            sample,
            histogram(bucket(0, 4, 8), bucket(20, 1, 5)),
            histogram(bucket(0, 6, 12)),
            histogram(bucket(0, 5, 13), bucket(20, 3, 15)));
    List<Map<String, Object>> prices = buckets(json(estimates, "prices"));
    assertThat(prices).extracting(b -> b.get("key")).containsExactly(0.0, 10.0, 20.0);
    assertThat(prices).extracting(b -> b.get("doc_count")).containsExactly(150, 0, 40);
    assertThat(map(prices.get(0).get("average"))).containsEntry("value", 33 / 15.0);
    assertThat(map(prices.get(1).get("average"))).containsEntry("value", null);
    assertThat(map(prices.get(2).get("average"))).containsEntry("value", 5.0);
    assertThat(bounds(prices.get(1))).containsEntry("lower", 0).containsEntry("upper", null);
    assertThat(bounds(map(prices.get(1).get("average"))))
        .containsEntry("lower", null)
        .containsEntry("upper", null);
    assertThat(lower(map(prices.get(0).get("average")))).isLessThan(2.2);
    assertThat(upper(map(prices.get(0).get("average")))).isGreaterThan(2.2);
  }

  @Test
  void metricsWithoutBucketsAreEstimated() {
    ShardSample sample =
        sample(source ->
            source
                .aggregation(new SumAggregationBuilder("sum").field("f"))
                .aggregation(new ValueCountAggregationBuilder("count").field("f")));
    Estimates sums = estimate(sample, sum(1.5), sum(2.5), sum(2));
    assertThat(json(sums, "sum")).containsEntry("value", 60.0);
    assertThat(lower(json(sums, "sum"))).isLessThan(60);
    Estimates values =
        estimate(
            sample,
            new InternalValueCount("count", 3, null),
            new InternalValueCount("count", 4, null),
            new InternalValueCount("count", 4, null));
    assertThat(json(values, "count")).containsEntry("value", 110);
    assertThat(lower(json(values, "count"))).isGreaterThanOrEqualTo(11);
  }

  @Test
  void tellsHowItWasDone() {
    ShardSample sample = sample(source -> {});
    Estimates estimates =
        sample.estimate(
            List.of(new SampledShardResult(0, 90, null), new SampledShardResult(1, 110, null)),
            null,
            true,
            buckets -> {});
    assertThat(estimates.hits()).isEqualTo(3000);
    assertThat(estimates.aggregations()).isNull();
    assertThat(estimates.description())
        .containsEntry("shards", Map.of("total", 30, "sampled", 3, "answered", 2))
        .containsEntry("confidence", 0.95)
        .containsEntry("seed", 7L);
    // s^2 = 200, 30^2 (1 - 2/30) 200 / 2, t = 12.706
    double off = 12.7062 * Math.sqrt(900 * (28 / 30.0) * 100);
    assertThat(estimates.description())
        .containsEntry(
            "hits", Map.of("total", Map.of("lower", 200L, "upper", (long) Math.ceil(3000 + off))));
    assertThat(sample.totalShards()).isEqualTo(30);
    sample.recordSearch();
    assertThat(counts.shardsSkipped()).isEqualTo(27);
    assertThat(counts.shardsQueried()).isEqualTo(3);
  }

  @Test
  void giveNoBoundsAfterATimeout() {
    Map<String, Object> told =
        sample(source -> {})
            .estimate(
                List.of(new SampledShardResult(0, 90, null), new SampledShardResult(1, 110, null)),
                null,
                false,
                buckets -> {})
            .description();
    assertThat(map(map(told.get("hits")).get("total")))
        .containsEntry("upper", null)
        .containsEntry("lower", 200L);
  }

  @Test
  void typedNamesAreOfATypeThatHoldsAnything() {
    ShardSample sample =
        sample(source -> source.aggregation(new TermsAggregationBuilder("colours")));
    Estimates estimates =
        estimate(sample, terms(250, 0, term("red", 10)), terms(250, 0, term("red", 12)));
    Map<String, Object> colours =
        map(json(Objects.requireNonNull(estimates.aggregations()), true).get("sterms#colours"));
    assertThat(
            map(map(buckets(colours).get(0).get("scripted_metric#doc_count_bounds")).get("value")))
        .containsOnlyKeys("lower", "upper");
  }
}
