package dev.weir.core.reduce.terms;

import static dev.weir.core.reduce.terms.TermsFixture.bytes;
import static dev.weir.core.reduce.terms.TermsFixture.read;
import static dev.weir.core.reduce.terms.TermsFixture.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.junit.TestSeed;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeSet;
import java.util.function.IntConsumer;
import org.apache.lucene.util.BytesRef;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.opensearch.common.xcontent.json.JsonXContent;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.xcontent.ToXContent;
import org.opensearch.core.xcontent.XContentBuilder;
import org.opensearch.search.DocValueFormat;
import org.opensearch.search.aggregations.Aggregation;
import org.opensearch.search.aggregations.AggregationBuilders;
import org.opensearch.search.aggregations.BucketOrder;
import org.opensearch.search.aggregations.InternalAggregation;
import org.opensearch.search.aggregations.InternalAggregation.ReduceContext;
import org.opensearch.search.aggregations.InternalAggregations;
import org.opensearch.search.aggregations.bucket.terms.DoubleTerms;
import org.opensearch.search.aggregations.bucket.terms.InternalTerms;
import org.opensearch.search.aggregations.bucket.terms.LongTerms;
import org.opensearch.search.aggregations.bucket.terms.StringTerms;
import org.opensearch.search.aggregations.bucket.terms.TermsAggregationBuilder;
import org.opensearch.search.aggregations.bucket.terms.TermsAggregator.BucketCountThresholds;
import org.opensearch.search.aggregations.bucket.terms.UnmappedTerms;
import org.opensearch.search.aggregations.metrics.InternalAvg;
import org.opensearch.search.aggregations.metrics.InternalMax;
import org.opensearch.search.aggregations.metrics.InternalMin;
import org.opensearch.search.aggregations.metrics.InternalStats;
import org.opensearch.search.aggregations.metrics.InternalSum;
import org.opensearch.search.aggregations.metrics.InternalValueCount;
import org.opensearch.search.builder.SearchSourceBuilder;

/** Reduces shards' bytes to the same result as OpenSearch does with their objects. */
class TermsReducerTest {
  private static final List<BucketOrder> ORDERS =
      List.of(
          BucketOrder.key(true),
          BucketOrder.key(false),
          BucketOrder.compound(BucketOrder.count(false)),
          BucketOrder.compound(BucketOrder.count(true)),
          BucketOrder.compound(BucketOrder.count(false), BucketOrder.key(false)),
          BucketOrder.compound(BucketOrder.count(true), BucketOrder.key(false)));

  private final Random random = TestSeed.random(TermsReducerTest.class);
  private int consumed;

  /** The common part of the shards of one aggregation. */
  private record Asked(
      String type,
      String name,
      BucketOrder order,
      int size,
      int shardSize,
      long minDocCount,
      DocValueFormat format,
      String metrics,
      @Nullable Map<String, Object> metadata) {
    BucketCountThresholds thresholds() {
      return new BucketCountThresholds(minDocCount, 0, size, shardSize);
    }
  }

  private Asked asked(String name) {
    String type = List.of("long", "double", "string").get(random.nextInt(3));
    int size = List.of(1, 3, 10, 100).get(random.nextInt(4));
    DocValueFormat format =
        type.equals("string") || random.nextBoolean()
            ? DocValueFormat.RAW
            : new DocValueFormat.Decimal("0.00");
    return new Asked(
        type,
        name,
        ORDERS.get(random.nextInt(ORDERS.size())),
        size,
        size + random.nextInt(20),
        random.nextInt(4),
        format,
        List.of("", "a", "asmxvt", "vs", "AxvS").get(random.nextInt(5)),
        random.nextBoolean() ? null : Map.of("who", "me", "depth", 3));
  }

  private InternalAggregation metric(char letter) {
    double value =
        random.nextInt(20) == 0
            ? List.of(Double.NaN, Double.POSITIVE_INFINITY, -0.0, Double.MIN_VALUE)
                .get(random.nextInt(4))
            : random.nextDouble() * Math.pow(10, random.nextInt(30) - 15);
    DocValueFormat raw = DocValueFormat.RAW;
    return switch (letter) {
      case 'a' -> new InternalAvg("avg", value, random.nextInt(3), raw, null);
      case 'A' -> new InternalAvg("avg", value, random.nextInt(3), raw, Map.of("a", "b"));
      case 's' -> new InternalSum("sum", value, raw, null);
      case 'S' -> new InternalSum("sum", value, new DocValueFormat.Decimal("#.##"), null);
      case 'm' -> new InternalMin("min", value, raw, null);
      case 'x' -> new InternalMax("max", value, raw, null);
      case 'v' -> new InternalValueCount("count", random.nextInt(1 << 20), null);
      default -> new InternalStats("stats", random.nextInt(3), value, 1, value + 2, raw, null);
    };
  }

  private InternalAggregations metrics(Asked asked) {
    return InternalAggregations.from(
        asked.metrics.chars().mapToObj(letter -> metric((char) letter)).toList());
  }

  private InternalAggregation shard(Asked asked) {
    boolean reversed = asked.order.equals(BucketOrder.key(false));
    BucketOrder sorted = reversed ? BucketOrder.key(false) : BucketOrder.key(true);
    TreeSet<Integer> terms = new TreeSet<>();
    for (int i = random.nextInt(40) - 5; i > 0; i--) {
      terms.add(random.nextInt(60) - 20);
    }
    List<LongTerms.Bucket> longs = new ArrayList<>();
    List<DoubleTerms.Bucket> doubles = new ArrayList<>();
    List<StringTerms.Bucket> strings = new ArrayList<>();
    IntConsumer add =
        term -> {
          long count = random.nextInt(5) == 0 ? 1L << 40 : random.nextInt(7);
          InternalAggregations own = metrics(asked);
          longs.add(new LongTerms.Bucket(term, count, own, false, 0, asked.format));
          doubles.add(new DoubleTerms.Bucket(term / 4.0, count, own, false, 0, asked.format));
          String escaped = term % 7 == 0 ? "é\u0001\"\\\uD83D\uDE00\u2028/" : "plain ~";
          BytesRef text = new BytesRef(String.format("%03d%s", term + 20, escaped));
          strings.add(new StringTerms.Bucket(text, count, own, false, 0, asked.format));
        };
    (reversed ? terms.descendingSet() : terms).forEach(add::accept);
    long others = random.nextInt(50);
    long error = Math.max(0, random.nextInt(6) - 3);
    return switch (asked.type) {
      case "long" ->
          new LongTerms(
              asked.name,
              sorted,
              asked.order,
              asked.metadata,
              asked.format,
              asked.shardSize,
              false,
              others,
              longs,
              error,
              asked.thresholds());
      case "double" ->
          new DoubleTerms(
              asked.name,
              sorted,
              asked.order,
              asked.metadata,
              asked.format,
              asked.shardSize,
              false,
              others,
              doubles,
              error,
              asked.thresholds());
      default ->
          new StringTerms(
              asked.name,
              sorted,
              asked.order,
              asked.metadata,
              asked.format,
              asked.shardSize,
              false,
              others,
              strings,
              error,
              asked.thresholds());
    };
  }

  private static InternalAggregation unmapped(Asked asked) {
    return new UnmappedTerms(asked.name, asked.order, asked.thresholds(), asked.metadata);
  }

  private ReduceContext context() {
    consumed = 0;
    return TermsFixture.context(count -> consumed += count);
  }

  /** Those of an aggregation that say so themselves; null where they don't. */
  private static @Nullable String ownText(Aggregation reduced) throws IOException {
    SelectedBuckets buckets =
        (SelectedBuckets) (List<?>) ((InternalTerms<?, ?>) reduced).getBuckets();
    if (!buckets.isPlain()) {
      return null;
    }
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    buckets.write(text);
    return "[" + text.toString(StandardCharsets.UTF_8) + "]";
  }

  private static String bucketText(Aggregation reduced) throws IOException {
    try (XContentBuilder json = JsonXContent.contentBuilder()) {
      json.startArray();
      for (var bucket : ((InternalTerms<?, ?>) reduced).getBuckets()) {
        bucket.toXContent(json, ToXContent.EMPTY_PARAMS);
      }
      json.endArray();
      return BytesReference.bytes(json).utf8ToString();
    }
  }

  @Test
  void produceTheSameResultAsOpenSearch() throws Exception {
    int written = 0;
    for (int round = 0; round < 2000; round++) {
      List<Asked> asked = new ArrayList<>();
      for (int i = 0; i <= random.nextInt(3); i++) {
        asked.add(asked("terms-" + "xabq".charAt(i)));
      }
      List<AggregationBytes> answers = new ArrayList<>();
      for (int shard = 0; shard <= random.nextInt(5); shard++) {
        boolean mapped = shard == 0 || random.nextInt(8) > 0;
        answers.add(
            bytes(
                InternalAggregations.from(
                    asked.stream().map(one -> mapped ? shard(one) : unmapped(one)).toList())));
      }
      List<InternalAggregations> objects = new ArrayList<>();
      for (AggregationBytes answer : answers) {
        objects.add(read(answer));
      }
      InternalAggregations theirs = InternalAggregations.reduce(objects, context());
      int theyConsumed = consumed;

      InternalAggregations ours =
          Objects.requireNonNull(TermsReducer.reduce(answers, context()), "it suits");

      assertThat(text(ours)).isEqualTo(text(theirs));
      assertThat(bytes(ours).bytes()).isEqualTo(bytes(theirs).bytes());
      assertThat(consumed).isEqualTo(theyConsumed);
      for (Aggregation one : ours) {
        String own = ownText(one);
        if (own != null) {
          written++;
          assertThat(own).isEqualTo(bucketText(theirs.get(one.getName())));
        }
      }
    }
    assertThat(written).isGreaterThan(500);
  }

  @Test
  void leavesTheRestToObjects() throws Exception {
    Asked one = asked("t");
    AggregationBytes terms = bytes(InternalAggregations.from(List.of(shard(one))));
    AggregationBytes none = bytes(InternalAggregations.from(List.of(unmapped(one))));
    assertThat(TermsReducer.reduce(List.of(none, none), context())).isNull();

    InternalAggregation sum = new InternalSum("t", 3, DocValueFormat.RAW, null);
    AggregationBytes others = bytes(InternalAggregations.from(List.of(sum)));
    assertThat(TermsReducer.reduce(List.of(others), context())).isNull();

    List<InternalAggregation> sums = new ArrayList<>();
    for (char name = 'a'; name < 'a' + 13; name++) {
      sums.add(new InternalSum(String.valueOf(name), 3, DocValueFormat.RAW, null));
    }
    LongTerms.Bucket bucket =
        new LongTerms.Bucket(1, 1, InternalAggregations.from(sums), false, 0, DocValueFormat.RAW);
    InternalAggregation wide =
        new LongTerms(
            "t",
            BucketOrder.key(true),
            BucketOrder.key(true),
            null,
            DocValueFormat.RAW,
            10,
            false,
            0,
            List.of(bucket),
            0,
            one.thresholds());
    AggregationBytes many = bytes(InternalAggregations.from(List.of(wide)));
    assertThat(TermsReducer.reduce(List.of(many), context())).isNull();

    BytesRef whole = terms.bytes();
    for (int length = 0; length < whole.length; length++) {
      AggregationBytes cut =
          new AggregationBytes(
              new BytesRef(whole.bytes, whole.offset, length), terms.version(), terms.registry());
      assertThat(TermsReducer.reduce(List.of(cut), context())).isNull();
    }
  }

  @Test
  void suitsTermsWithPlainMetrics() {
    assertThat(TermsReducer.canReduce(null)).isFalse();
    assertThat(TermsReducer.canReduce(new SearchSourceBuilder())).isFalse();
    TermsAggregationBuilder plain = AggregationBuilders.terms("t").field("f");
    assertThat(TermsReducer.canReduce(new SearchSourceBuilder().aggregation(plain))).isTrue();
    plain.subAggregation(AggregationBuilders.avg("a").field("g"));
    assertThat(TermsReducer.canReduce(new SearchSourceBuilder().aggregation(plain))).isTrue();
    plain.order(BucketOrder.aggregation("a", false));
    assertThat(TermsReducer.canReduce(new SearchSourceBuilder().aggregation(plain))).isFalse();
    plain.order(BucketOrder.key(false));
    assertThat(TermsReducer.canReduce(new SearchSourceBuilder().aggregation(plain))).isTrue();
    plain.showTermDocCountError(true);
    assertThat(TermsReducer.canReduce(new SearchSourceBuilder().aggregation(plain))).isFalse();
    plain.showTermDocCountError(false);
    plain.subAggregation(AggregationBuilders.cardinality("c").field("g"));
    assertThat(TermsReducer.canReduce(new SearchSourceBuilder().aggregation(plain))).isFalse();
    SearchSourceBuilder both =
        new SearchSourceBuilder()
            .aggregation(AggregationBuilders.terms("t").field("f"))
            .aggregation(AggregationBuilders.avg("a").field("g"));
    assertThat(TermsReducer.canReduce(both)).isFalse();
  }
}
