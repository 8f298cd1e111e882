package dev.weir.core.reduce.terms;

import static dev.weir.core.reduce.terms.TermsFixture.bytes;
import static dev.weir.core.reduce.terms.TermsFixture.read;
import static dev.weir.core.reduce.terms.TermsFixture.text;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.apache.lucene.util.BytesRef;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.opensearch.search.DocValueFormat;
import org.opensearch.search.aggregations.BucketOrder;
import org.opensearch.search.aggregations.InternalAggregation;
import org.opensearch.search.aggregations.InternalAggregations;
import org.opensearch.search.aggregations.bucket.terms.DoubleTerms;
import org.opensearch.search.aggregations.bucket.terms.InternalTerms;
import org.opensearch.search.aggregations.bucket.terms.LongTerms;
import org.opensearch.search.aggregations.bucket.terms.StringTerms;
import org.opensearch.search.aggregations.bucket.terms.TermsAggregator.BucketCountThresholds;
import org.opensearch.search.aggregations.bucket.terms.UnmappedTerms;
import org.opensearch.search.aggregations.metrics.InternalAvg;
import org.opensearch.search.aggregations.metrics.InternalMax;
import org.opensearch.search.aggregations.metrics.InternalStats;
import org.opensearch.search.aggregations.metrics.InternalSum;

/** Edges of reducing terms as numbers; OpenSearch reduces the same shards beside it. */
final class TermsEdgesTest {
  private static final BucketOrder COUNT_DOWN = BucketOrder.compound(BucketOrder.count(false));
  private static final BucketOrder COUNT_UP = BucketOrder.compound(BucketOrder.count(true));
  private static final DocValueFormat RAW = DocValueFormat.RAW;

  private BucketOrder order = COUNT_DOWN;
  private int size = 10;
  private int shardSize = 25;
  private long minDocCount = 1;
  private long otherDocs;
  private long error;

  private BucketCountThresholds thresholds() {
    return new BucketCountThresholds(minDocCount, 0, size, shardSize);
  }

  /** One shard's terms by key. */
  private LongTerms longs(Map<Long, Long> counts) {
    List<LongTerms.Bucket> buckets = new ArrayList<>();
    new TreeMap<>(counts)
        .forEach((key, count) ->
            buckets.add(
                new LongTerms.Bucket(key, count, InternalAggregations.EMPTY, false, 0, RAW)));
    return longs(buckets);
  }

  private LongTerms longs(List<LongTerms.Bucket> buckets) {
    return new LongTerms(
        "t",
        BucketOrder.key(true),
        order,
        null,
        RAW,
        shardSize,
        false,
        otherDocs,
        buckets,
        error,
        thresholds());
  }

  private DoubleTerms doubles(double... keys) {
    List<DoubleTerms.Bucket> buckets =
        Arrays.stream(keys)
            .sorted()
            .mapToObj(
                key -> new DoubleTerms.Bucket(key, 1, InternalAggregations.EMPTY, false, 0, RAW))
            .toList();
    return new DoubleTerms(
        "t",
        BucketOrder.key(true),
        order,
        null,
        RAW,
        shardSize,
        false,
        otherDocs,
        buckets,
        error,
        thresholds());
  }

  private StringTerms strings(String... keys) {
    List<StringTerms.Bucket> buckets =
        Arrays.stream(keys)
            .map(BytesRef::new)
            .sorted()
            .map(key -> new StringTerms.Bucket(key, 2, InternalAggregations.EMPTY, false, 0, RAW))
            .toList();
    return new StringTerms(
        "t",
        BucketOrder.key(true),
        order,
        null,
        RAW,
        shardSize,
        false,
        otherDocs,
        buckets,
        error,
        thresholds());
  }

  private static @Nullable InternalTerms<?, ?> tryReduce(InternalAggregation... shards)
      throws IOException {
    List<AggregationBytes> answers = new ArrayList<>();
    List<InternalAggregations> objects = new ArrayList<>();
    for (InternalAggregation shard : shards) {
      AggregationBytes answer = bytes(shard);
      answers.add(answer);
      objects.add(read(answer));
    }
    InternalAggregations ours = TermsReducer.reduce(answers, TermsFixture.context(count -> {}));
    if (ours == null) {
      return null;
    }
    InternalAggregations theirs =
        InternalAggregations.reduce(objects, TermsFixture.context(count -> {}));
    assertThat(text(ours)).isEqualTo(text(theirs));
    assertThat(bytes(ours).bytes()).isEqualTo(bytes(theirs).bytes());
    return ours.get("t");
  }

  private static InternalTerms<?, ?> reduce(InternalAggregation... shards) throws IOException {
    return Objects.requireNonNull(tryReduce(shards), "got no reduction (expected: one)");
  }

  private static List<String> keys(InternalTerms<?, ?> terms) {
    return terms.getBuckets().stream()
        .map(bucket -> bucket.getKeyAsString() + "=" + bucket.getDocCount())
        .toList();
  }

  @Test
  void ordersByCountAndThenByKey() throws IOException {
    LongTerms one = longs(Map.of(1L, 5L, 2L, 1L, 3L, 2L));
    LongTerms other = longs(Map.of(2L, 4L, 3L, 2L, 9L, 5L));
    assertThat(keys(reduce(one, other))).containsExactly("1=5", "2=5", "9=5", "3=4");
    order = COUNT_UP;
    assertThat(keys(reduce(longs(Map.of(1L, 5L, 2L, 1L)), longs(Map.of(2L, 4L, 3L, 2L)))))
        .containsExactly("3=2", "1=5", "2=5");
    order = BucketOrder.compound(BucketOrder.count(false), BucketOrder.key(false));
    assertThat(keys(reduce(longs(Map.of(1L, 5L)), longs(Map.of(9L, 5L, 3L, 7L)))))
        .containsExactly("3=7", "9=5", "1=5");
    order = BucketOrder.key(false);
    assertThat(keys(reduce(longs(Map.of(1L, 5L)), longs(Map.of(9L, 1L)))))
        .containsExactly("9=1", "1=5");
  }

  @Test
  void leavesAnOrderByAMetricToObjects() throws IOException {
    order = BucketOrder.compound(BucketOrder.aggregation("m", false));
    LongTerms.Bucket bucket =
        new LongTerms.Bucket(
            1,
            1,
            InternalAggregations.from(List.of(new InternalMax("m", 1, RAW, null))),
            false,
            0,
            RAW);
    assertThat(tryReduce(longs(List.of(bucket)))).isNull();
  }

  @Test
  void dropsKeysBelowTheMinimumAfterTheSum() throws IOException {
    minDocCount = 4;
    InternalTerms<?, ?> terms =
        reduce(longs(Map.of(1L, 3L, 2L, 2L, 3L, 9L)), longs(Map.of(1L, 3L, 2L, 1L)));
    assertThat(keys(terms)).containsExactly("3=9", "1=6");
    assertThat(terms.getSumOfOtherDocCounts()).isZero();
  }

  @Test
  void keepsKeysWithoutDocumentsWhereTheMinimumIsZero() throws IOException {
    minDocCount = 0;
    assertThat(keys(reduce(longs(Map.of(1L, 0L, 2L, 1L)), longs(Map.of(1L, 0L)))))
        .containsExactly("2=1", "1=0");
  }

  @Test
  void countsTheDocumentsOfKeysThatDoNotFit() throws IOException {
    size = 1;
    otherDocs = 100;
    InternalTerms<?, ?> terms = reduce(longs(Map.of(1L, 3L, 2L, 8L)), longs(Map.of(5L, 4L)));
    assertThat(keys(terms)).containsExactly("2=8");
    assertThat(terms.getSumOfOtherDocCounts()).isEqualTo(200 + 3 + 4);
  }

  @Test
  void takesAllKeysWhereTheSizeIsTheLargest() throws IOException {
    size = Integer.MAX_VALUE;
    shardSize = Integer.MAX_VALUE;
    Map<Long, Long> many = new TreeMap<>();
    LongStream.range(0, 5_000).forEach(key -> many.put(key * key - 1_000, key % 7 + 1));
    assertThat(reduce(longs(many), longs(many)).getBuckets()).hasSize(5_000);
  }

  @Test
  void boundsTheErrorOfShardsThatSentOnlySomeKeys() throws IOException {
    size = 2;
    shardSize = 3;
    LongTerms full = longs(Map.of(1L, 9L, 2L, 7L, 3L, 4L));
    LongTerms part = longs(Map.of(1L, 1L));
    assertThat(reduce(full, part).getDocCountError()).isEqualTo(4);
    assertThat(reduce(full, full).getDocCountError()).isEqualTo(8);
    assertThat(reduce(part, part).getDocCountError()).isZero();
    error = 6;
    LongTerms reducedBefore = longs(Map.of(1L, 9L, 2L, 7L, 3L, 4L));
    assertThat(reduce(reducedBefore, reducedBefore).getDocCountError()).isEqualTo(12);
    assertThat(reduce(longs(Map.of(1L, 1L)), longs(Map.of(2L, 1L))).getDocCountError()).isZero();
    error = 0;
    order = COUNT_UP;
    LongTerms rare = longs(Map.of(1L, 1L, 2L, 2L, 3L, 3L));
    assertThat(reduce(rare, rare).getDocCountError()).isEqualTo(-1);
  }

  @Test
  void anErrorOfOneShardAloneIsItsOwn() throws IOException {
    size = 2;
    shardSize = 3;
    assertThat(reduce(longs(Map.of(1L, 9L, 2L, 7L, 3L, 4L))).getDocCountError()).isZero();
    error = 3;
    assertThat(reduce(longs(Map.of(1L, 9L, 2L, 7L, 3L, 4L))).getDocCountError()).isEqualTo(3);
    assertThat(reduce(longs(Map.of(1L, 9L))).getDocCountError()).isZero();
  }

  @Test
  void shardsWithoutTheFieldCountForNothing() throws IOException {
    UnmappedTerms unmapped = new UnmappedTerms("t", order, thresholds(), null);
    LongTerms none = longs(Map.of());
    assertThat(keys(reduce(unmapped, longs(Map.of(4L, 2L)), none, unmapped)))
        .containsExactly("4=2");
    assertThat(keys(reduce(none, none))).isEmpty();
    assertThat(tryReduce(unmapped)).isNull();
  }

  @Test
  void shardsThatMapTheFieldInDifferentWaysAreLeftToObjects() throws IOException {
    assertThat(tryReduceAlone(longs(Map.of(1L, 1L)), strings("1"))).isNull();
    assertThat(tryReduceAlone(longs(Map.of(1L, 1L)), doubles(1))).isNull();
  }

  private static @Nullable InternalAggregations tryReduceAlone(InternalAggregation... shards)
      throws IOException {
    List<AggregationBytes> answers = new ArrayList<>();
    for (InternalAggregation shard : shards) {
      answers.add(bytes(shard));
    }
    return TermsReducer.reduce(answers, TermsFixture.context(count -> {}));
  }

  @Test
  void keepsTheLargestKeysAndCounts() throws IOException {
    order = BucketOrder.key(true);
    assertThat(
            keys(
                reduce(
                    longs(Map.of(Long.MIN_VALUE, 1L, 0L, 1L << 52)),
                    longs(Map.of(Long.MAX_VALUE, 1L, 0L, 1L << 52)))))
        .containsExactly("-9223372036854775808=1", "0=9007199254740992", "9223372036854775807=1");
  }

  @Test
  void leavesCountsBeyondItsNumbersToObjects() throws IOException {
    LongTerms huge = longs(Map.of(1L, Long.MAX_VALUE / 2, 2L, 1L));
    assertThat(tryReduce(huge)).isNull();
  }

  @Test
  void ordersStringsByTheirBytes() throws IOException {
    order = BucketOrder.key(true);
    assertThat(
            keys(
                reduce(
                    strings("", "a", "ab", "é", "\uD83D\uDE00"), strings("A", "a", "\uFFFD", "z"))))
        .containsExactly("=2", "A=2", "a=4", "ab=2", "z=2", "é=2", "\uFFFD=2", "\uD83D\uDE00=2");
  }

  @Test
  void ordersDoublesAsJavaDoes() throws IOException {
    order = BucketOrder.key(true);
    assertThat(
            keys(
                reduce(
                    doubles(Double.NEGATIVE_INFINITY, -0.0, 0.0, 1e-300),
                    doubles(0.0, Double.MAX_VALUE, Double.POSITIVE_INFINITY, Double.NaN))))
        .containsExactly(
            "-Infinity=1",
            "-0.0=1",
            "0.0=2",
            "1.0E-300=1",
            "1.7976931348623157E308=1",
            "Infinity=1",
            "NaN=1");
  }

  private LongTerms.Bucket measured(long key, double sum, long count) {
    return new LongTerms.Bucket(
        key,
        count,
        InternalAggregations.from(
            List.of(
                new InternalSum("s", sum, RAW, null),
                new InternalAvg("a", sum, count, RAW, null),
                new InternalStats("st", count, sum, -sum, sum, RAW, null))),
        false,
        0,
        RAW);
  }

  @Test
  void addsMetricsWithTheSamePrecision() throws IOException {
    InternalAggregation[] shards = new InternalAggregation[10];
    Arrays.setAll(shards, shard -> longs(List.of(measured(1, 0.1, 1), measured(2, 1e16, 3))));
    InternalTerms<?, ?> terms = reduce(shards);
    InternalSum sum = terms.getBuckets().getLast().getAggregations().get("s");
    assertThat(sum.getValue()).as("a plain sum is 0.9999999999999999").isEqualTo(1);
    InternalAvg average = terms.getBuckets().getLast().getAggregations().get("a");
    assertThat(average.getValue()).isEqualTo(0.1);
    InternalStats stats = terms.getBuckets().getFirst().getAggregations().get("st");
    assertThat(stats.getSum()).isEqualTo(1e17);
    assertThat(stats.getCount()).isEqualTo(30);
  }

  @Test
  void keepsNumbersThatAreNone() throws IOException {
    InternalTerms<?, ?> terms =
        reduce(
            longs(List.of(measured(1, Double.NaN, 1), measured(2, Double.POSITIVE_INFINITY, 1))),
            longs(List.of(measured(1, 1, 1), measured(2, Double.NEGATIVE_INFINITY, 1))));
    assertThat(terms.getBuckets()).hasSize(2);
  }

  @Test
  void bucketsWithDifferentMetricsAreLeftToObjects() throws IOException {
    LongTerms.Bucket plain = new LongTerms.Bucket(1, 1, InternalAggregations.EMPTY, false, 0, RAW);
    assertThat(tryReduceAlone(longs(List.of(measured(1, 1, 1), plain)))).isNull();
    assertThat(tryReduceAlone(longs(List.of(measured(1, 1, 1))), longs(List.of(plain)))).isNull();
  }
}
