package dev.weir.node.reduction;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.lucene.util.BytesRef;
import org.jspecify.annotations.Nullable;
import org.opensearch.common.Rounding;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.common.settings.Settings;
import org.opensearch.core.common.io.stream.NamedWriteable;
import org.opensearch.core.common.io.stream.NamedWriteableAwareStreamInput;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.search.DocValueFormat;
import org.opensearch.search.SearchModule;
import org.opensearch.search.aggregations.AggregationBuilder;
import org.opensearch.search.aggregations.AggregationBuilders;
import org.opensearch.search.aggregations.BucketOrder;
import org.opensearch.search.aggregations.InternalAggregation;
import org.opensearch.search.aggregations.InternalAggregations;
import org.opensearch.search.aggregations.InternalOrder;
import org.opensearch.search.aggregations.bucket.histogram.DateHistogramAggregationBuilder;
import org.opensearch.search.aggregations.bucket.histogram.DateHistogramInterval;
import org.opensearch.search.aggregations.bucket.histogram.HistogramAggregationBuilder;
import org.opensearch.search.aggregations.bucket.terms.DoubleTerms;
import org.opensearch.search.aggregations.bucket.terms.LongTerms;
import org.opensearch.search.aggregations.bucket.terms.StringTerms;
import org.opensearch.search.aggregations.bucket.terms.TermsAggregationBuilder;
import org.opensearch.search.aggregations.bucket.terms.TermsAggregator.BucketCountThresholds;
import org.opensearch.search.aggregations.bucket.terms.UnmappedTerms;
import org.opensearch.search.aggregations.metrics.InternalAvg;
import org.opensearch.search.aggregations.metrics.InternalMax;
import org.opensearch.search.aggregations.metrics.InternalMin;
import org.opensearch.search.aggregations.metrics.InternalValueCount;

/** Random aggregations of a search, and random results of its shards, as nodes send them. */
public final class RandomShards {
  public static final NamedWriteableRegistry WRITEABLES =
      new NamedWriteableRegistry(new SearchModule(Settings.EMPTY, List.of()).getNamedWriteables());

  private static final long DAY = 86_400_000L;

  private final Random random;
  private int names;

  /** Makes the result of a shard. */
  private interface Maker {
    InternalAggregation make(boolean empty) throws IOException;
  }

  /**
   * An aggregation of the search, which makes its result of a shard.
   *
   * @param builder the aggregation in the request
   */
  public record Definition(AggregationBuilder builder, Maker maker) {
    private static Definition of(AggregationBuilder builder, List<Definition> below, Maker maker) {
      below.forEach(one -> builder.subAggregation(one.builder));
      return new Definition(builder, maker);
    }

    private static Definition of(AggregationBuilder builder, Maker maker) {
      return of(builder, List.of(), maker);
    }
  }

  /** A bucket; the key is a long or a double. */
  private record Bucket(Number key, long docCount, InternalAggregations below) {}

  /** Draws searches and results. */
  public RandomShards(Random random) {
    this.random = random;
  }

  /** Returns aggregations that merge, beside each other. */
  public List<Definition> level(int depth) {
    List<Definition> level = new ArrayList<>();
    for (int i = (depth == 2 ? 1 : 0) + random.nextInt(3); i > 0; i--) {
      level.add(depth > 0 && random.nextInt(3) > 0 ? container(depth) : metric());
    }
    return level;
  }

  /**
   * Makes the results of a shard.
   *
   * @param empty whether there are no documents
   */
  public static InternalAggregations make(List<Definition> all, boolean empty) throws IOException {
    List<InternalAggregation> made = new ArrayList<>();
    for (Definition one : all) {
      made.add(one.maker.make(empty));
    }
    return InternalAggregations.from(made);
  }

  private String name() {
    return "a" + Integer.toString(random.nextInt(1000) * 100 + names++ % 100, 36);
  }

  private DocValueFormat format() {
    return random.nextBoolean() ? DocValueFormat.RAW : new DocValueFormat.Decimal("0.00");
  }

  private double value() {
    return random.nextInt(10) == 0
        ? List.of(Double.POSITIVE_INFINITY, -0.0, 0.0, Double.NaN).get(random.nextInt(4))
        : random.nextGaussian() * 1e3;
  }

  private Definition metric() {
    String name = name();
    DocValueFormat format = format();
    Map<String, Object> meta = random.nextInt(4) > 0 ? null : Map.of("who", "me");
    return switch (random.nextInt(3)) {
      case 0 ->
          Definition.of(
              AggregationBuilders.min(name).field("n"),
              empty ->
                  new InternalMin(name, empty ? Double.POSITIVE_INFINITY : value(), format, meta));
      case 1 ->
          Definition.of(
              AggregationBuilders.max(name).field("n"),
              empty ->
                  new InternalMax(name, empty ? Double.NEGATIVE_INFINITY : value(), format, meta));
      default ->
          Definition.of(
              AggregationBuilders.count(name).field("n"),
              empty -> new InternalValueCount(name, empty ? 0 : random.nextInt(100), meta));
    };
  }

  /** An average, which does not merge. */
  static Definition average(String name) {
    return Definition.of(
        AggregationBuilders.avg(name).field("n"),
        empty -> new InternalAvg(name, 0.1, 1, DocValueFormat.RAW, null));
  }

  private Definition container(int depth) {
    return switch (random.nextInt(4)) {
      case 0 -> dates(depth);
      case 1 -> numbers(depth);
      default -> terms(name(), depth);
    };
  }

  private BucketOrder order() {
    return switch (random.nextInt(7)) {
      case 0 -> BucketOrder.key(true);
      case 1 -> BucketOrder.key(false);
      case 2 -> BucketOrder.compound(BucketOrder.count(true), BucketOrder.key(true));
      case 3 -> BucketOrder.compound(BucketOrder.count(false), BucketOrder.key(false));
      default -> BucketOrder.compound(BucketOrder.count(false), BucketOrder.key(true));
    };
  }

  private Definition terms(String name, int depth) {
    List<Definition> below = level(depth - 1);
    BucketOrder order = order();
    int shardSize = 2 + random.nextInt(6);
    int keys = 2 + random.nextInt(12);
    BucketCountThresholds thresholds =
        new BucketCountThresholds(
            1 + random.nextInt(3), 0, 1 + random.nextInt(shardSize), shardSize);
    int kind = random.nextInt(3);
    TermsAggregationBuilder builder =
        AggregationBuilders.terms(name)
            .field("t")
            .order(order)
            .size(thresholds.getRequiredSize())
            .shardSize(shardSize)
            .minDocCount(thresholds.getMinDocCount());
    return Definition.of(
        builder,
        below,
        empty -> {
          if (empty && random.nextInt(4) == 0) {
            return new UnmappedTerms(name, order, thresholds, null);
          }
          TreeMap<Long, Long> counts = new TreeMap<>();
          for (int i = empty ? 0 : random.nextInt(keys + 3);
              i > 0 && counts.size() < shardSize;
              i--) {
            counts.put((long) random.nextInt(keys), 1L + random.nextInt(4));
          }
          long other = counts.size() < shardSize ? 0 : random.nextInt(9);
          long error = other > 0 && random.nextInt(5) == 0 ? 1 + random.nextInt(3) : 0; // of slices
          BucketOrder own = InternalOrder.isKeyOrder(order) ? order : BucketOrder.key(true);
          List<Long> sorted =
              new ArrayList<>(
                  InternalOrder.isKeyDesc(order) ? counts.descendingKeySet() : counts.keySet());
          return switch (kind) {
            case 0 -> {
              List<StringTerms.Bucket> buckets = new ArrayList<>();
              for (long key : sorted) {
                buckets.add(
                    new StringTerms.Bucket(
                        new BytesRef(Character.toString((char) ('a' + key))),
                        Objects.requireNonNull(counts.get(key)),
                        make(below, false),
                        false,
                        0,
                        DocValueFormat.RAW));
              }
              yield new StringTerms(
                  name,
                  own,
                  order,
                  null,
                  DocValueFormat.RAW,
                  shardSize,
                  false,
                  other,
                  buckets,
                  error,
                  thresholds);
            }
            case 1 -> {
              List<LongTerms.Bucket> buckets = new ArrayList<>();
              for (long key : sorted) {
                buckets.add(
                    new LongTerms.Bucket(
                        key,
                        Objects.requireNonNull(counts.get(key)),
                        make(below, false),
                        false,
                        0,
                        DocValueFormat.RAW));
              }
              yield new LongTerms(
                  name,
                  own,
                  order,
                  null,
                  DocValueFormat.RAW,
                  shardSize,
                  false,
                  other,
                  buckets,
                  error,
                  thresholds);
            }
            default -> {
              List<DoubleTerms.Bucket> buckets = new ArrayList<>();
              for (long key : sorted) {
                buckets.add(
                    new DoubleTerms.Bucket(
                        key / 4.0,
                        Objects.requireNonNull(counts.get(key)),
                        make(below, false),
                        false,
                        0,
                        DocValueFormat.RAW));
              }
              yield new DoubleTerms(
                  name,
                  own,
                  order,
                  null,
                  DocValueFormat.RAW,
                  shardSize,
                  false,
                  other,
                  buckets,
                  error,
                  thresholds);
            }
          };
        });
  }

  private Definition dates(int depth) {
    String name = name();
    List<Definition> below = level(depth - 1);
    Rounding rounding = Rounding.builder(Rounding.DateTimeUnit.DAY_OF_MONTH).build();
    BucketOrder order = order();
    long minDocCount = random.nextInt(3);
    AggregationBuilder builder =
        AggregationBuilders.dateHistogram(name)
            .field("d")
            .calendarInterval(DateHistogramInterval.DAY)
            .order(order)
            .minDocCount(minDocCount);
    return Definition.of(
        builder,
        below,
        empty -> {
          List<Bucket> buckets = buckets(empty, DAY, false, below);
          InternalAggregations filling = make(below, true);
          return read(
              DateHistogramAggregationBuilder.NAME,
              out -> {
                writeHead(out, name, order, minDocCount);
                if (minDocCount == 0) {
                  rounding.writeTo(out);
                  filling.writeTo(out);
                  out.writeOptionalWriteable(null);
                }
                out.writeLong(0);
                writeBuckets(out, buckets);
              });
        });
  }

  private Definition numbers(int depth) {
    String name = name();
    List<Definition> below = level(depth - 1);
    double interval = List.of(1.0, 0.1, 2.5).get(random.nextInt(3));
    BucketOrder order = order();
    long minDocCount = random.nextInt(3);
    AggregationBuilder builder =
        AggregationBuilders.histogram(name)
            .field("n")
            .interval(interval)
            .order(order)
            .minDocCount(minDocCount);
    return Definition.of(
        builder,
        below,
        empty -> {
          List<Bucket> buckets = buckets(empty, interval, true, below);
          InternalAggregations filling = make(below, true);
          return read(
              HistogramAggregationBuilder.NAME,
              out -> {
                writeHead(out, name, order, minDocCount);
                if (minDocCount == 0) {
                  out.writeDouble(interval);
                  out.writeDouble(0);
                  out.writeDouble(-interval);
                  out.writeDouble(5 * interval);
                  filling.writeTo(out);
                }
                writeBuckets(out, buckets);
              });
        });
  }

  private List<Bucket> buckets(
      boolean empty, double interval, boolean decimal, List<Definition> below) throws IOException {
    TreeSet<Integer> keys = new TreeSet<>();
    for (int i = empty ? 0 : random.nextInt(6); i > 0; i--) {
      keys.add(random.nextInt(15));
    }
    List<Bucket> buckets = new ArrayList<>();
    for (int key : keys) {
      Number at = decimal ? (Number) (key * interval) : (Number) (key * (long) interval);
      buckets.add(new Bucket(at, 1 + random.nextInt(4), make(below, false)));
    }
    return buckets;
  }

  private static void writeHead(StreamOutput out, String name, BucketOrder order, long minDocCount)
      throws IOException {
    out.writeString(name);
    out.writeMap(null);
    InternalOrder.Streams.writeHistogramOrder(order, out, false);
    out.writeVLong(minDocCount);
  }

  private static void writeBuckets(StreamOutput out, List<Bucket> buckets) throws IOException {
    out.writeNamedWriteable(DocValueFormat.RAW);
    out.writeBoolean(false);
    out.writeVInt(buckets.size());
    for (Bucket bucket : buckets) {
      if (bucket.key instanceof Long date) {
        out.writeLong(date);
      } else {
        out.writeDouble(bucket.key.doubleValue());
      }
      out.writeVLong(bucket.docCount);
      bucket.below.writeTo(out);
    }
  }

  /** Reads an aggregation that has no public constructor. */
  private static InternalAggregation read(String type, Writeable content) throws IOException {
    BytesStreamOutput out = new BytesStreamOutput();
    out.writeNamedWriteable(
        new NamedWriteable() {
          @Override
          public String getWriteableName() {
            return type;
          }

          @Override
          public void writeTo(StreamOutput to) throws IOException {
            content.writeTo(to);
          }
        });
    return input(out).readNamedWriteable(InternalAggregation.class);
  }

  private static StreamInput input(BytesStreamOutput written) throws IOException {
    return new NamedWriteableAwareStreamInput(written.bytes().streamInput(), WRITEABLES);
  }

  /** Returns what another node reads of aggregations: a reduction changes its parts. */
  public static InternalAggregations sent(InternalAggregations all) {
    try {
      BytesStreamOutput out = new BytesStreamOutput();
      all.writeTo(out);
      return InternalAggregations.readFrom(input(out));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the bytes of aggregations. */
  public static BytesRef bytes(@Nullable InternalAggregations all) throws IOException {
    BytesStreamOutput out = new BytesStreamOutput();
    out.writeOptionalWriteable(all);
    return out.bytes().toBytesRef();
  }

  /** Returns the bytes of aggregations as they are in a shard's result. */
  public static BytesRef ownBytes(InternalAggregations all) throws IOException {
    BytesStreamOutput out = new BytesStreamOutput();
    all.writeTo(out);
    return out.bytes().toBytesRef();
  }

  /** Terms of words, all with one document. */
  static InternalAggregations terms(
      BucketOrder order, long minDocCount, int shardSize, String... words) {
    List<StringTerms.Bucket> buckets = new ArrayList<>();
    for (String word : new TreeSet<>(List.of(words))) {
      buckets.add(
          new StringTerms.Bucket(
              new BytesRef(word), 1, InternalAggregations.EMPTY, false, 0, DocValueFormat.RAW));
    }
    return InternalAggregations.from(
        List.of(
            new StringTerms(
                "t",
                BucketOrder.key(true),
                order,
                null,
                DocValueFormat.RAW,
                shardSize,
                false,
                0,
                buckets,
                0,
                new BucketCountThresholds(minDocCount, 0, 2, shardSize))));
  }
}
