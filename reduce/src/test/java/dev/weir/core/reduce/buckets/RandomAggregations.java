package dev.weir.core.reduce.buckets;

import java.io.IOException;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.lucene.util.BytesRef;
import org.jspecify.annotations.Nullable;
import org.opensearch.common.Rounding;
import org.opensearch.common.time.DateFormatter;
import org.opensearch.common.unit.TimeValue;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.index.mapper.DateFieldMapper;
import org.opensearch.index.query.QueryBuilders;
import org.opensearch.search.DocValueFormat;
import org.opensearch.search.aggregations.AggregationBuilder;
import org.opensearch.search.aggregations.AggregationBuilders;
import org.opensearch.search.aggregations.BucketOrder;
import org.opensearch.search.aggregations.InternalAggregation;
import org.opensearch.search.aggregations.InternalAggregations;
import org.opensearch.search.aggregations.bucket.composite.TermsValuesSourceBuilder;
import org.opensearch.search.aggregations.bucket.filter.InternalFilters;
import org.opensearch.search.aggregations.bucket.histogram.AutoDateHistogramAggregationBuilder;
import org.opensearch.search.aggregations.bucket.histogram.DateHistogramInterval;
import org.opensearch.search.aggregations.bucket.histogram.LongBounds;
import org.opensearch.search.aggregations.bucket.range.InternalRange;
import org.opensearch.search.aggregations.bucket.terms.StringTerms;
import org.opensearch.search.aggregations.bucket.terms.TermsAggregator.BucketCountThresholds;
import org.opensearch.search.aggregations.bucket.terms.UnmappedTerms;
import org.opensearch.search.builder.SearchSourceBuilder;

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
  private static final long DAY = 86_400_000L;

  /** Some days before the clocks change in Berlin. */
  private static final long START = 1_774_600_000_000L / DAY * DAY;

  private final Random random;
  private final RandomMetrics metrics;
  private final @Nullable RandomPipelines pipelines;
  private int names;

  /**
   * How many automatic date histograms the next aggregation is in. They reduce histograms twice;
   * the second time, OpenSearch asserts that buckets still have the order of their keys.
   */
  private int autoDates;

  private RandomAggregations(Random random, int metrics, boolean piped) {
    this.random = random;
    this.metrics = new RandomMetrics(random, metrics);
    this.pipelines = piped ? new RandomPipelines(random) : null;
  }

  static RandomAggregations ofAllKinds(Random random) {
    return new RandomAggregations(random, RandomMetrics.ALL, false);
  }

  /** Without digests, sketches and hits, whose readers allocate what malformed bytes say. */
  static RandomAggregations ofNumbers(Random random) {
    return new RandomAggregations(random, RandomMetrics.NUMBERS, false);
  }

  /** Without hits, whose source is never indented. */
  static RandomAggregations withoutHits(Random random) {
    return new RandomAggregations(random, RandomMetrics.WITHOUT_HITS, false);
  }

  /** Without metrics whose reduction is as long as damaged bytes say. */
  static RandomAggregations ofBoundedWork(Random random, boolean piped) {
    return new RandomAggregations(random, RandomMetrics.BOUNDED, piped);
  }

  /** With pipeline aggregations. */
  static RandomAggregations withPipelines(Random random) {
    return new RandomAggregations(random, RandomMetrics.WITHOUT_HITS, true);
  }

  /** Makes a shard's result. */
  interface Maker {
    /**
     * Makes a shard's result.
     *
     * @param empty whether it has no documents
     */
    InternalAggregation make(boolean empty) throws IOException;
  }

  /**
   * An aggregation of the search.
   *
   * @param builder the aggregation in the request
   * @param path of a number in the result, for orders and pipelines; null if there is none
   */
  record Node(AggregationBuilder builder, @Nullable String path, Maker maker) {
    InternalAggregation make(boolean empty) throws IOException {
      return maker.make(empty);
    }
  }

  /**
   * A search.
   *
   * @param source the request, without its fields and formats
   */
  record Search(List<Node> nodes, SearchSourceBuilder source) {
    InternalAggregations make(boolean empty) throws IOException {
      return RandomAggregations.make(nodes, empty);
    }
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

  private Node metric() {
    return metrics.metric(name(), metadata());
  }

  private String name() {
    return "a" + Integer.toString(random.nextInt(1000) * 100 + names++ % 100, 36);
  }

  private @Nullable Map<String, Object> metadata() {
    return random.nextInt(4) > 0 ? null : Map.of("who", "me \u00e9\"", "depth", 3);
  }

  Node container(int depth) {
    return switch (random.nextInt(8)) {
      case 0 -> numbers(depth);
      case 1 -> terms(depth);
      case 2 -> filters(depth);
      case 3 -> single(depth);
      case 4 -> ranges(depth);
      case 5 -> composite(depth);
      case 6 -> autoDates(depth);
      default -> dates(depth);
    };
  }

  /** Adds the contents of the buckets to a request. */
  private Node node(AggregationBuilder builder, List<Node> below, Maker maker) {
    below.forEach(node -> builder.subAggregation(node.builder));
    if (pipelines != null) {
      pipelines.addTo(builder, below);
    }
    return new Node(builder, null, maker);
  }

  private Node single(int depth) {
    String name = name();
    List<Node> below = level(depth - 1);
    String type =
        List.of("filter", "global", "missing", "nested", "reverse_nested", "mapped_sampler")
            .get(random.nextInt(6));
    return node(
        AggregationBuilders.filter(name, QueryBuilders.matchAllQuery()),
        below,
        empty ->
            ShardAggregations.single(
                type, name, empty ? 0 : random.nextInt(9), make(below, empty)));
  }

  private Node filters(int depth) {
    String name = name();
    List<Node> below = level(depth - 1);
    return node(
        AggregationBuilders.filters(name, QueryBuilders.matchAllQuery()),
        below,
        empty -> {
          List<InternalFilters.InternalBucket> buckets = new ArrayList<>();
          for (String key : List.of("x", "y")) {
            buckets.add(
                new InternalFilters.InternalBucket(
                    key, empty ? 0 : random.nextInt(5), make(below, empty), true));
          }
          return new InternalFilters(name, buckets, true, null);
        });
  }

  private Node ranges(int depth) {
    String name = name();
    List<Node> below = level(depth - 1);
    boolean keyed = random.nextBoolean();
    return node(
        AggregationBuilders.range(name),
        below,
        empty -> {
          List<InternalRange.Bucket> buckets = new ArrayList<>();
          for (int from = 0; from < 3; from++) {
            buckets.add(
                new InternalRange.Bucket(
                    "r" + from,
                    from,
                    from + 1,
                    empty ? 0 : random.nextInt(5),
                    make(below, empty),
                    keyed,
                    DocValueFormat.RAW));
          }
          return range(name, buckets, keyed);
        });
  }

  @SuppressWarnings({"rawtypes", "unchecked"}) // OpenSearch's own type parameters refer to itself
  private static InternalAggregation range(
      String name, List<InternalRange.Bucket> buckets, boolean keyed) {
    return new InternalRange(name, buckets, DocValueFormat.RAW, keyed, null);
  }

  private Node composite(int depth) {
    String name = name();
    List<Node> below = level(depth - 1);
    int size = 1 + random.nextInt(6);
    return node(
        AggregationBuilders.composite(name, List.of(new TermsValuesSourceBuilder("k").field("k"))),
        below,
        empty -> {
          List<ShardAggregations.Bucket> buckets = new ArrayList<>();
          for (long key = 0; key < 9 && !empty && buckets.size() < size; key++) {
            if (random.nextInt(3) > 0) {
              buckets.add(
                  new ShardAggregations.Bucket(key, 1 + random.nextInt(9), make(below, false)));
            }
          }
          return ShardAggregations.composite(name, size, buckets);
        });
  }

  /** Shards choose intervals of hours or days. */
  private Node autoDates(int depth) {
    String name = name();
    autoDates++;
    List<Node> below = level(depth - 1);
    autoDates--;
    int target = 3 + random.nextInt(18);
    ZoneId zone = ZoneId.of(random.nextBoolean() ? "UTC" : "Europe/Berlin");
    return node(
        new AutoDateHistogramAggregationBuilder(name),
        below,
        empty -> {
          int unit = random.nextInt(2);
          TreeMap<Long, ShardAggregations.Bucket> buckets = new TreeMap<>();
          for (int i = empty ? 0 : random.nextInt(20); i > 0; i--) {
            long key = ShardAggregations.round(zone, unit, START + random.nextInt(90) * 3_600_000L);
            buckets.put(key, new ShardAggregations.Bucket(key, 1, make(below, false)));
          }
          return ShardAggregations.autoDates(
              new ShardAggregations.AutoHead(name, zone, unit, target, make(below, true)),
              List.copyOf(buckets.values()));
        });
  }

  private Node terms(int depth) {
    String name = name();
    List<Node> below = level(depth - 1);
    BucketOrder order = termsOrder(below);
    BucketCountThresholds thresholds = new BucketCountThresholds(1, 0, 3, 5);
    return node(
        AggregationBuilders.terms(name).order(order),
        below,
        empty -> {
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
        });
  }

  /** By count, or by a metric. */
  private BucketOrder termsOrder(List<Node> below) {
    for (Node node : below) {
      if (node.path != null && random.nextBoolean()) {
        return BucketOrder.compound(BucketOrder.aggregation(node.path, random.nextBoolean()));
      }
    }
    return BucketOrder.compound(BucketOrder.count(false));
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
    BucketOrder order = histogramOrder(below);
    Map<String, Object> meta = metadata();
    return node(
        AggregationBuilders.dateHistogram(name)
            .fixedInterval(DateHistogramInterval.HOUR)
            .order(order),
        below,
        empty -> {
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
        });
  }

  /** By key or count, or seldom by a metric. */
  private BucketOrder histogramOrder(List<Node> below) {
    if (autoDates > 0) {
      return BucketOrder.key(true);
    }
    return random.nextInt(12) == 0 ? termsOrder(below) : ORDERS.get(random.nextInt(ORDERS.size()));
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
    BucketOrder order = histogramOrder(below);
    boolean keyed = random.nextInt(4) == 0;
    Map<String, Object> meta = metadata();
    return node(
        AggregationBuilders.histogram(name).interval(interval).order(order),
        below,
        empty -> {
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
        });
  }

  /** A search that has a histogram at the top, or only further below. */
  Search search() {
    List<Node> nodes = new ArrayList<>(level(2));
    if (random.nextInt(3) > 0) {
      nodes.add(random.nextInt(4) == 0 ? numbers(2) : dates(2));
    } else {
      nodes.add(container(2));
    }
    return search(nodes);
  }

  /** Returns a search for these aggregations, in any order. */
  Search search(List<Node> nodes) {
    Map<Integer, Node> byPlace = new HashMap<>();
    for (Node node : nodes) {
      byPlace.put(random.nextInt(), node);
    }
    List<Node> mixed = List.copyOf(byPlace.values());
    SearchSourceBuilder source = new SearchSourceBuilder().size(0);
    mixed.forEach(node -> source.aggregation(node.builder));
    if (pipelines != null) {
      pipelines.addTo(source, mixed);
    }
    return new Search(mixed, source);
  }
}
