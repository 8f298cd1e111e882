package dev.weir.core.reduce.buckets;

import java.io.IOException;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeSet;
import org.HdrHistogram.DoubleHistogram;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.search.TotalHits;
import org.apache.lucene.util.BytesRef;
import org.jspecify.annotations.Nullable;
import org.opensearch.common.Rounding;
import org.opensearch.common.lucene.search.TopDocsAndMaxScore;
import org.opensearch.common.time.DateFormatter;
import org.opensearch.common.unit.TimeValue;
import org.opensearch.common.util.BigArrays;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.index.mapper.DateFieldMapper;
import org.opensearch.search.DocValueFormat;
import org.opensearch.search.SearchHit;
import org.opensearch.search.SearchHits;
import org.opensearch.search.aggregations.BucketOrder;
import org.opensearch.search.aggregations.InternalAggregation;
import org.opensearch.search.aggregations.InternalAggregations;
import org.opensearch.search.aggregations.bucket.filter.InternalFilters;
import org.opensearch.search.aggregations.bucket.histogram.LongBounds;
import org.opensearch.search.aggregations.bucket.terms.StringTerms;
import org.opensearch.search.aggregations.bucket.terms.TermsAggregator.BucketCountThresholds;
import org.opensearch.search.aggregations.bucket.terms.UnmappedTerms;
import org.opensearch.search.aggregations.metrics.HyperLogLogPlusPlus;
import org.opensearch.search.aggregations.metrics.InternalAvg;
import org.opensearch.search.aggregations.metrics.InternalExtendedStats;
import org.opensearch.search.aggregations.metrics.InternalHDRPercentiles;
import org.opensearch.search.aggregations.metrics.InternalStats;
import org.opensearch.search.aggregations.metrics.InternalSum;
import org.opensearch.search.aggregations.metrics.InternalTDigestPercentileRanks;
import org.opensearch.search.aggregations.metrics.InternalTDigestPercentiles;
import org.opensearch.search.aggregations.metrics.InternalTopHits;
import org.opensearch.search.aggregations.metrics.TDigestState;

/**
 * A random tree of aggregations. Each node of the tree makes the result of a shard, and that of a
 * bucket without documents.
 */
final class RandomAggregations {
  private static final List<BucketOrder> ORDERS =
      List.of(
          BucketOrder.key(true),
          BucketOrder.key(true),
          BucketOrder.key(true),
          BucketOrder.key(false),
          BucketOrder.compound(BucketOrder.count(false)),
          BucketOrder.compound(BucketOrder.count(true)),
          BucketOrder.compound(BucketOrder.count(false), BucketOrder.key(false)));
  private static final double[] PERCENTS = {1, 5, 50, 95, 99.9};
  private static final long DAY = 86_400_000L;

  /** Some days before the clocks change in Berlin. */
  private static final long START = 1_774_600_000_000L / DAY * DAY;

  private static final int METRICS = 9;
  private static final int NUMERIC_METRICS = 4;

  private final Random random;
  private final int metrics;
  private int names;

  private RandomAggregations(Random random, int metrics) {
    this.random = random;
    this.metrics = metrics;
  }

  static RandomAggregations ofAllKinds(Random random) {
    return new RandomAggregations(random, METRICS);
  }

  /** Without digests, sketches and hits, whose readers allocate what malformed bytes say. */
  static RandomAggregations ofNumbers(Random random) {
    return new RandomAggregations(random, NUMERIC_METRICS);
  }

  /** Without hits, whose source is never indented. */
  static RandomAggregations withoutHits(Random random) {
    return new RandomAggregations(random, METRICS - 1);
  }

  /** An aggregation of the search. */
  interface Node {
    /**
     * Makes a shard's result.
     *
     * @param empty whether it has no documents
     */
    InternalAggregation make(boolean empty) throws IOException;
  }

  static InternalAggregations make(List<Node> nodes, boolean empty) throws IOException {
    List<InternalAggregation> made = new ArrayList<>();
    for (Node node : nodes) {
      made.add(node.make(empty));
    }
    return InternalAggregations.from(made);
  }

  /** The nodes of one level: few, or sometimes more than a map's first table has room for. */
  List<Node> level(int depth) {
    int count = random.nextInt(30) == 0 ? 13 + random.nextInt(14) : random.nextInt(4);
    List<Node> nodes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      nodes.add(count < 5 && depth > 0 && random.nextInt(3) == 0 ? container(depth) : metric());
    }
    return nodes;
  }

  private String name() {
    return "a" + Integer.toString(random.nextInt(1000) * 100 + names++ % 100, 36);
  }

  private @Nullable Map<String, Object> metadata() {
    return random.nextInt(4) > 0 ? null : Map.of("who", "me \u00e9\"", "depth", 3);
  }

  Node container(int depth) {
    return switch (random.nextInt(5)) {
      case 0 -> numbers(depth);
      case 1 -> terms(depth);
      case 2 -> filters(depth);
      case 3 -> single(depth);
      default -> dates(depth);
    };
  }

  private double value() {
    return random.nextInt(20) == 0
        ? List.of(Double.POSITIVE_INFINITY, -0.0, Double.MIN_VALUE, 1e300).get(random.nextInt(4))
        : random.nextDouble() * Math.pow(10, random.nextInt(12) - 3);
  }

  private double finite() {
    return random.nextGaussian() * 100 + 500;
  }

  private Node metric() {
    String name = name();
    Map<String, Object> meta = metadata();
    DocValueFormat format =
        random.nextBoolean() ? DocValueFormat.RAW : new DocValueFormat.Decimal("0.00");
    boolean keyed = random.nextBoolean();
    return switch (random.nextInt(metrics)) {
      case 0 ->
          empty -> new InternalAvg(name, value(), empty ? 0 : 1 + random.nextInt(3), format, meta);
      case 1 -> empty -> new InternalSum(name, empty ? 0 : value(), format, meta);
      case 2 ->
          empty ->
              new InternalStats(
                  name, empty ? 0 : random.nextInt(3), value(), 1, value() + 2, format, meta);
      case 3 ->
          empty ->
              new InternalExtendedStats(
                  name,
                  empty ? 0 : 4,
                  finite(),
                  1,
                  finite(),
                  finite() * finite(),
                  2.5,
                  format,
                  meta);
      case 4 -> empty -> cardinality(name, empty);
      case 5 ->
          empty ->
              new InternalTDigestPercentiles(name, PERCENTS, digest(empty), keyed, format, meta);
      case 6 ->
          empty ->
              new InternalTDigestPercentileRanks(
                  name, new double[] {400, 500}, digest(empty), keyed, format, meta);
      case 7 ->
          empty -> {
            DoubleHistogram histogram = new DoubleHistogram(2);
            histogram.setAutoResize(true);
            for (int i = empty ? 0 : random.nextInt(30); i > 0; i--) {
              histogram.recordValue(Math.abs(finite()));
            }
            return new InternalHDRPercentiles(name, PERCENTS, histogram, keyed, format, meta);
          };
      default -> empty -> topHits(name, empty);
    };
  }

  private TDigestState digest(boolean empty) {
    TDigestState state = new TDigestState(20 + random.nextInt(3) * 40);
    for (int i = empty ? 0 : random.nextInt(10) == 0 ? 800 : random.nextInt(20); i > 0; i--) {
      state.add(finite());
    }
    return state;
  }

  private InternalAggregation cardinality(String name, boolean empty) throws IOException {
    HyperLogLogPlusPlus counts = new HyperLogLogPlusPlus(8, BigArrays.NON_RECYCLING_INSTANCE, 1);
    for (int i = empty ? 0 : random.nextInt(random.nextInt(10) == 0 ? 400 : 9); i > 0; i--) {
      counts.collect(0, random.nextLong());
    }
    return ShardAggregations.read(
        "cardinality",
        out -> {
          out.writeString(name);
          out.writeMap(null);
          out.writeNamedWriteable(DocValueFormat.RAW);
          out.writeBoolean(!empty);
          if (!empty) {
            counts.writeTo(0, out);
          }
        });
  }

  private InternalAggregation topHits(String name, boolean empty) {
    int count = empty ? 0 : random.nextInt(3);
    SearchHit[] hits = new SearchHit[count];
    ScoreDoc[] docs = new ScoreDoc[count];
    float score = 5 + random.nextFloat();
    for (int i = 0; i < count; i++) {
      hits[i] = new SearchHit(random.nextInt(100), "id" + random.nextInt(100), Map.of(), Map.of());
      hits[i].sourceRef(new BytesArray("{\"text\": \"\u00e9 \\\"\",\"n\":1.50}"));
      hits[i].score(score);
      docs[i] = new ScoreDoc(hits[i].docId(), score);
      score -= random.nextFloat();
    }
    TotalHits total = new TotalHits(count, TotalHits.Relation.EQUAL_TO);
    float best = count == 0 ? Float.NaN : docs[0].score;
    return new InternalTopHits(
        name,
        0,
        2,
        new TopDocsAndMaxScore(new TopDocs(total, docs), best),
        new SearchHits(hits, total, best),
        null);
  }

  private Node single(int depth) {
    String name = name();
    List<Node> below = level(depth - 1);
    String type =
        List.of("filter", "global", "missing", "nested", "reverse_nested", "mapped_sampler")
            .get(random.nextInt(6));
    return empty ->
        ShardAggregations.single(type, name, empty ? 0 : random.nextInt(9), make(below, empty));
  }

  private Node filters(int depth) {
    String name = name();
    List<Node> below = level(depth - 1);
    return empty -> {
      List<InternalFilters.InternalBucket> buckets = new ArrayList<>();
      for (String key : List.of("x", "y")) {
        buckets.add(
            new InternalFilters.InternalBucket(
                key, empty ? 0 : random.nextInt(5), make(below, empty), true));
      }
      return new InternalFilters(name, buckets, true, null);
    };
  }

  private Node terms(int depth) {
    String name = name();
    List<Node> below = level(depth - 1);
    BucketOrder order = BucketOrder.compound(BucketOrder.count(false));
    BucketCountThresholds thresholds = new BucketCountThresholds(1, 0, 3, 5);
    return empty -> {
      if (empty && random.nextBoolean()) {
        return new UnmappedTerms(name, order, thresholds, null);
      }
      List<StringTerms.Bucket> buckets = new ArrayList<>();
      for (char key = 'a'; key < 'g' && !empty; key++) {
        if (random.nextInt(3) == 0) {
          buckets.add(
              new StringTerms.Bucket(
                  new BytesRef(String.valueOf(key)),
                  1 + random.nextInt(9),
                  make(below, false),
                  false,
                  0,
                  DocValueFormat.RAW));
        }
      }
      return new StringTerms(
          name,
          BucketOrder.key(true),
          order,
          null,
          DocValueFormat.RAW,
          5,
          false,
          random.nextInt(5),
          buckets,
          0,
          thresholds);
    };
  }

  /** A histogram of dates with gaps, time zones, bounds and offsets. */
  Node dates(int depth) {
    ZoneId zone = ZoneId.of(List.of("UTC", "Europe/Berlin", "+05:30").get(random.nextInt(3)));
    Rounding rounding =
        (switch (random.nextInt(3)) {
              case 0 -> Rounding.builder(Rounding.DateTimeUnit.DAY_OF_MONTH);
              case 1 -> Rounding.builder(Rounding.DateTimeUnit.HOUR_OF_DAY);
              default -> Rounding.builder(TimeValue.timeValueHours(5));
            })
            .timeZone(zone)
            .build();
    List<Node> below = level(depth - 1);
    long minDocCount = Math.max(0, random.nextInt(4) - 1);
    long offset = random.nextInt(3) == 0 ? 3_600_000L * (random.nextInt(5) - 2) : 0;
    LongBounds bounds =
        minDocCount > 0 || random.nextBoolean()
            ? null
            : new LongBounds(
                random.nextBoolean() ? null : round(rounding, -3),
                random.nextBoolean() ? null : round(rounding, random.nextInt(90)));
    DocValueFormat format =
        random.nextInt(4) == 0
            ? DocValueFormat.RAW
            : new DocValueFormat.DateTime(
                DateFormatter.forPattern(
                    random.nextBoolean() ? "strict_date_optional_time" : "yyyy-MM-dd HH:mm"),
                zone,
                DateFieldMapper.Resolution.MILLISECONDS);
    boolean keyed = random.nextInt(4) == 0;
    String name = name();
    BucketOrder order = ORDERS.get(random.nextInt(ORDERS.size()));
    Map<String, Object> meta = metadata();
    return empty -> {
      Writeable filling =
          minDocCount == 0
              ? ShardAggregations.dateFilling(rounding, make(below, true), bounds)
              : null;
      TreeSet<Long> keys = new TreeSet<>();
      for (int i = empty ? 0 : random.nextInt(12); i > 0; i--) {
        keys.add(round(rounding, random.nextInt(60)) + offset);
      }
      return ShardAggregations.dates(
          new ShardAggregations.Head(name, meta, order, minDocCount, filling, format, keyed),
          offset,
          buckets(keys, below));
    };
  }

  private static long round(Rounding rounding, int hours) {
    return rounding.prepareForUnknown().round(START + hours * 3_600_000L);
  }

  private List<ShardAggregations.Bucket> buckets(SortedSet<? extends Number> keys, List<Node> below)
      throws IOException {
    List<ShardAggregations.Bucket> buckets = new ArrayList<>();
    for (Number key : keys) {
      buckets.add(new ShardAggregations.Bucket(key, 1 + random.nextInt(4), make(below, false)));
    }
    return buckets;
  }

  /** A histogram of numbers. */
  Node numbers(int depth) {
    double interval = List.of(1.0, 0.1, 2.5, 1e9).get(random.nextInt(4));
    List<Node> below = level(depth - 1);
    long minDocCount = Math.max(0, random.nextInt(4) - 1);
    boolean bounded = random.nextBoolean();
    double min = bounded ? -3 * interval : Double.POSITIVE_INFINITY;
    double max = bounded ? 12 * interval : Double.NEGATIVE_INFINITY;
    DocValueFormat format =
        random.nextBoolean() ? DocValueFormat.RAW : new DocValueFormat.Decimal("0.###E0");
    String name = name();
    BucketOrder order = ORDERS.get(random.nextInt(ORDERS.size()));
    boolean keyed = random.nextInt(4) == 0;
    Map<String, Object> meta = metadata();
    return empty -> {
      Writeable filling =
          minDocCount == 0
              ? ShardAggregations.filling(interval, 0, min, max, make(below, true))
              : null;
      TreeSet<Double> keys = new TreeSet<>();
      for (int i = empty ? 0 : random.nextInt(9); i > 0; i--) {
        keys.add(Math.floor(random.nextInt(20) - 5) * interval);
      }
      return ShardAggregations.numbers(
          new ShardAggregations.Head(name, meta, order, minDocCount, filling, format, keyed),
          buckets(keys, below));
    };
  }

  /** The aggregations of a search: at least one histogram. */
  List<Node> search() {
    Map<Integer, Node> byPlace = new HashMap<>();
    for (Node node : level(2)) {
      byPlace.put(random.nextInt(), node);
    }
    byPlace.put(random.nextInt(), random.nextInt(4) == 0 ? numbers(2) : dates(2));
    return List.copyOf(byPlace.values());
  }
}
