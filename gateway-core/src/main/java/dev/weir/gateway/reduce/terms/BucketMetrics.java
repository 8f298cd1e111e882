package dev.weir.gateway.reduce.terms;

import dev.weir.protocol.FrameInput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.opensearch.search.DocValueFormat;
import org.opensearch.search.aggregations.AggregationBuilder;
import org.opensearch.search.aggregations.InternalAggregation;
import org.opensearch.search.aggregations.InternalAggregations;
import org.opensearch.search.aggregations.metrics.AvgAggregationBuilder;
import org.opensearch.search.aggregations.metrics.InternalAvg;
import org.opensearch.search.aggregations.metrics.InternalMax;
import org.opensearch.search.aggregations.metrics.InternalMin;
import org.opensearch.search.aggregations.metrics.InternalStats;
import org.opensearch.search.aggregations.metrics.InternalSum;
import org.opensearch.search.aggregations.metrics.InternalValueCount;
import org.opensearch.search.aggregations.metrics.MaxAggregationBuilder;
import org.opensearch.search.aggregations.metrics.MinAggregationBuilder;
import org.opensearch.search.aggregations.metrics.StatsAggregationBuilder;
import org.opensearch.search.aggregations.metrics.SumAggregationBuilder;
import org.opensearch.search.aggregations.metrics.ValueCountAggregationBuilder;

/**
 * The metrics in each bucket of one shard's terms. In every bucket they have the same names, types
 * and formats, so these are read once, and compared as bytes from then on; the layout is that of
 * {@code InternalAggregations}. Immutable.
 */
final class BucketMetrics {
  private final List<Metric> metrics;
  private final byte[][] before;

  private BucketMetrics(List<Metric> metrics, byte[][] before) {
    this.metrics = metrics;
    this.before = before;
  }

  /** What a metric's figures are, as they stand in a bucket. */
  private enum Type {
    AVG(AvgAggregationBuilder.NAME),
    SUM(SumAggregationBuilder.NAME),
    MIN(MinAggregationBuilder.NAME),
    MAX(MaxAggregationBuilder.NAME),
    STATS(StatsAggregationBuilder.NAME),
    VALUE_COUNT(ValueCountAggregationBuilder.NAME);

    private final String name;

    Type(String name) {
      this.name = name;
    }

    static Type named(String name) throws IOException {
      for (Type type : values()) {
        if (type.name.equals(name)) {
          return type;
        }
      }
      throw new IOException("got a metric of type [" + name + "] (expected: a plain one)");
    }

    void skip(FrameInput in) throws IOException {
      switch (this) {
        case AVG -> {
          skip(in, Double.BYTES);
          in.readVLong();
        }
        case SUM, MIN, MAX -> skip(in, Double.BYTES);
        case STATS -> {
          in.readVLong();
          skip(in, 3 * Double.BYTES);
        }
        case VALUE_COUNT -> in.readVLong();
      }
    }

    private static void skip(FrameInput in, int bytes) throws IOException {
      if (in.skip(bytes) != bytes) {
        throw new IOException("got the end of an aggregation (expected: a metric's figures)");
      }
    }
  }

  /** One of them. */
  private record Metric(
      Type type, String name, Map<String, Object> metadata, DocValueFormat format) {
    static Metric read(FrameInput in) throws IOException {
      Type type = Type.named(in.readString());
      String name = in.readString();
      Map<String, Object> metadata = in.readMap();
      DocValueFormat format =
          type == Type.VALUE_COUNT
              ? DocValueFormat.RAW
              : in.readNamedWriteable(DocValueFormat.class);
      return new Metric(type, name, metadata, format);
    }

    InternalAggregation make(FrameInput in) throws IOException {
      return switch (type) {
        case AVG -> new InternalAvg(name, in.readDouble(), in.readVLong(), format, metadata);
        case SUM -> new InternalSum(name, in.readDouble(), format, metadata);
        case MIN -> new InternalMin(name, in.readDouble(), format, metadata);
        case MAX -> new InternalMax(name, in.readDouble(), format, metadata);
        case VALUE_COUNT -> new InternalValueCount(name, in.readVLong(), metadata);
        case STATS -> {
          long count = in.readVLong();
          double min = in.readDouble();
          double max = in.readDouble();
          double sum = in.readDouble();
          yield new InternalStats(name, count, sum, min, max, format, metadata);
        }
      };
    }
  }

  /** Whether an aggregation is one of those that buckets may have here. */
  static boolean knows(AggregationBuilder aggregation) {
    return aggregation.getSubAggregations().isEmpty()
        && aggregation.getPipelineAggregations().isEmpty()
        && (aggregation instanceof AvgAggregationBuilder
            || aggregation instanceof SumAggregationBuilder
            || aggregation instanceof MinAggregationBuilder
            || aggregation instanceof MaxAggregationBuilder
            || aggregation instanceof StatsAggregationBuilder
            || aggregation instanceof ValueCountAggregationBuilder);
  }

  /**
   * Reads those of a first bucket, and leaves the input where it was.
   *
   * @throws IOException when there is a metric that is none of the known ones
   */
  static BucketMetrics of(Window window, FrameInput in) throws IOException {
    int began = in.position();
    int from = began;
    int count = in.readVInt();
    List<Metric> metrics = new ArrayList<>();
    List<byte[]> before = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Metric metric = Metric.read(in);
      before.add(window.copy(from, in.position()));
      metric.type.skip(in);
      from = in.position();
      metrics.add(metric);
    }
    if (count == 0) {
      before.add(window.copy(from, in.position()));
    }
    window.seek(in, began);
    return new BucketMetrics(metrics, before.toArray(byte[][]::new));
  }

  /** How many there are in a bucket. */
  int count() {
    return metrics.size();
  }

  /** Whether another shard's are the same. */
  boolean alike(BucketMetrics other) {
    return Arrays.deepEquals(before, other.before);
  }

  /**
   * Goes over those of the next bucket.
   *
   * @throws IOException when they are others than the first bucket's
   */
  void skip(Window window, FrameInput in) throws IOException {
    for (int i = 0; i < before.length; i++) {
      window.expect(in, before[i]);
      if (i < metrics.size()) {
        metrics.get(i).type.skip(in);
      }
    }
  }

  /** Makes those of a bucket that was gone over before. */
  InternalAggregations make(Window window, FrameInput in) throws IOException {
    if (metrics.isEmpty()) {
      return InternalAggregations.EMPTY;
    }
    InternalAggregation[] made = new InternalAggregation[metrics.size()];
    for (int i = 0; i < made.length; i++) {
      window.expect(in, before[i]);
      made[i] = metrics.get(i).make(in);
    }
    return InternalAggregations.from(Arrays.asList(made));
  }
}
