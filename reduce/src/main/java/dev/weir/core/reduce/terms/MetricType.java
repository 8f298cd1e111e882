package dev.weir.core.reduce.terms;

import dev.weir.model.JsonBuffer;
import dev.weir.protocol.FrameStreamInput;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.opensearch.search.DocValueFormat;
import org.opensearch.search.aggregations.InternalAggregation;
import org.opensearch.search.aggregations.metrics.AvgAggregationBuilder;
import org.opensearch.search.aggregations.metrics.CompensatedSum;
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
 * A metric whose result is a few numbers. Values are stored in arrays of longs; fractions as {@link
 * Double#doubleToRawLongBits}. Their order is that on the wire. They are merged and written as in
 * OpenSearch's class of each metric, such as {@code InternalAvg}.
 */
enum MetricType {
  /** Sum, count. */
  AVG(AvgAggregationBuilder.NAME, 2) {
    @Override
    void read(FrameStreamInput in, long[] into, int at) throws IOException {
      into[at] = in.readLong();
      into[at + 1] = in.readVLong();
    }

    @Override
    void merge(ShardValues parts, long[] into, int at) {
      into[at] = parts.sum(0);
      into[at + 1] = parts.count(1);
    }

    @Override
    InternalAggregation toAggregation(NamedMetric named, long[] from, int at) {
      return new InternalAvg(
          named.name(), toDouble(from, at), from[at + 1], named.format(), named.metadata());
    }

    @Override
    void write(JsonBuffer json, long[] from, int at) {
      json.writeAscii("\"value\":");
      if (from[at + 1] == 0) {
        json.writeAscii("null");
      } else {
        json.writeNumber(toDouble(from, at) / from[at + 1]);
      }
    }
  },

  SUM(SumAggregationBuilder.NAME, 1) {
    @Override
    void read(FrameStreamInput in, long[] into, int at) throws IOException {
      into[at] = in.readLong();
    }

    @Override
    void merge(ShardValues parts, long[] into, int at) {
      into[at] = parts.sum(0);
    }

    @Override
    InternalAggregation toAggregation(NamedMetric named, long[] from, int at) {
      return new InternalSum(named.name(), toDouble(from, at), named.format(), named.metadata());
    }

    @Override
    void write(JsonBuffer json, long[] from, int at) {
      json.writeAscii("\"value\":");
      json.writeNumber(toDouble(from, at));
    }
  },

  MIN(MinAggregationBuilder.NAME, 1) {
    @Override
    void read(FrameStreamInput in, long[] into, int at) throws IOException {
      into[at] = in.readLong();
    }

    @Override
    void merge(ShardValues parts, long[] into, int at) {
      into[at] = parts.min(0);
    }

    @Override
    InternalAggregation toAggregation(NamedMetric named, long[] from, int at) {
      return new InternalMin(named.name(), toDouble(from, at), named.format(), named.metadata());
    }

    @Override
    void write(JsonBuffer json, long[] from, int at) {
      writeExtreme(json, toDouble(from, at));
    }
  },

  MAX(MaxAggregationBuilder.NAME, 1) {
    @Override
    void read(FrameStreamInput in, long[] into, int at) throws IOException {
      into[at] = in.readLong();
    }

    @Override
    void merge(ShardValues parts, long[] into, int at) {
      into[at] = parts.max(0);
    }

    @Override
    InternalAggregation toAggregation(NamedMetric named, long[] from, int at) {
      return new InternalMax(named.name(), toDouble(from, at), named.format(), named.metadata());
    }

    @Override
    void write(JsonBuffer json, long[] from, int at) {
      writeExtreme(json, toDouble(from, at));
    }
  },

  /** Count, min, max, sum. */
  STATS(StatsAggregationBuilder.NAME, 4) {
    @Override
    void read(FrameStreamInput in, long[] into, int at) throws IOException {
      into[at] = in.readVLong();
      into[at + 1] = in.readLong();
      into[at + 2] = in.readLong();
      into[at + 3] = in.readLong();
    }

    @Override
    void merge(ShardValues parts, long[] into, int at) {
      into[at] = parts.count(0);
      into[at + 1] = parts.min(1);
      into[at + 2] = parts.max(2);
      into[at + 3] = parts.sum(3);
    }

    @Override
    InternalAggregation toAggregation(NamedMetric named, long[] from, int at) {
      return new InternalStats(
          named.name(),
          from[at],
          toDouble(from, at + 3),
          toDouble(from, at + 1),
          toDouble(from, at + 2),
          named.format(),
          named.metadata());
    }

    @Override
    void write(JsonBuffer json, long[] from, int at) {
      json.writeAscii("\"count\":");
      json.writeNumber(from[at]);
      if (from[at] == 0) {
        json.writeAscii(",\"min\":null,\"max\":null,\"avg\":null,\"sum\":0.0");
        return;
      }
      json.writeAscii(",\"min\":");
      json.writeNumber(toDouble(from, at + 1));
      json.writeAscii(",\"max\":");
      json.writeNumber(toDouble(from, at + 2));
      json.writeAscii(",\"avg\":");
      json.writeNumber(toDouble(from, at + 3) / from[at]);
      json.writeAscii(",\"sum\":");
      json.writeNumber(toDouble(from, at + 3));
    }
  },

  VALUE_COUNT(ValueCountAggregationBuilder.NAME, 1) {
    @Override
    void read(FrameStreamInput in, long[] into, int at) throws IOException {
      into[at] = in.readVLong();
    }

    @Override
    void merge(ShardValues parts, long[] into, int at) {
      into[at] = parts.count(0);
    }

    @Override
    InternalAggregation toAggregation(NamedMetric named, long[] from, int at) {
      return new InternalValueCount(named.name(), from[at], named.metadata());
    }

    @Override
    void write(JsonBuffer json, long[] from, int at) {
      json.writeAscii("\"value\":");
      json.writeNumber(from[at]);
    }
  };

  /** The largest number of values of any metric. */
  static final int MAX_VALUES = 4;

  private final String wireName;
  private final int valueCount;

  MetricType(String written, int figures) {
    this.wireName = written;
    this.valueCount = figures;
  }

  /** The part of a metric that is equal in all buckets. */
  record NamedMetric(
      MetricType type, String name, @Nullable Map<String, Object> metadata, DocValueFormat format) {
    /** Reads the part before a metric's values. */
    static NamedMetric read(FrameStreamInput in) throws IOException {
      MetricType type = fromWireName(in.readString());
      String name = in.readString();
      Map<String, Object> metadata = in.readMap();
      DocValueFormat format =
          type == VALUE_COUNT ? DocValueFormat.RAW : in.readNamedWriteable(DocValueFormat.class);
      return new NamedMetric(type, name, metadata, format);
    }
  }

  /** The values of one metric in several shards' buckets. */
  static final class ShardValues {
    private final long[] values;
    private final int offset;
    private final int stride;
    private final int count;

    /**
     * Wraps values.
     *
     * @param all the values of the first part, then those of the second, and so on
     * @param from the index of the first value
     * @param stride the distance between two parts
     */
    ShardValues(long[] all, int from, int stride, int count) {
      this.values = all;
      this.offset = from;
      this.stride = stride;
      this.count = count;
    }

    private long get(int part, int figure) {
      return values[offset + part * stride + figure];
    }

    long count(int figure) {
      long sum = 0;
      for (int part = 0; part < count; part++) {
        sum += get(part, figure);
      }
      return sum;
    }

    long sum(int figure) {
      CompensatedSum sum = new CompensatedSum(0, 0);
      for (int part = 0; part < count; part++) {
        sum.add(Double.longBitsToDouble(get(part, figure)));
      }
      return Double.doubleToRawLongBits(sum.value());
    }

    long min(int figure) {
      double min = Double.POSITIVE_INFINITY;
      for (int part = 0; part < count; part++) {
        min = Math.min(min, Double.longBitsToDouble(get(part, figure)));
      }
      return Double.doubleToRawLongBits(min);
    }

    long max(int figure) {
      double max = Double.NEGATIVE_INFINITY;
      for (int part = 0; part < count; part++) {
        max = Math.max(max, Double.longBitsToDouble(get(part, figure)));
      }
      return Double.doubleToRawLongBits(max);
    }
  }

  private static MetricType fromWireName(String written) throws IOException {
    for (MetricType type : values()) {
      if (type.wireName.equals(written)) {
        return type;
      }
    }
    throw new IOException("got a metric of type [" + written + "] (expected: a plain one)");
  }

  /** Returns the number of values. */
  int valueCount() {
    return valueCount;
  }

  /** Reads the values. */
  abstract void read(FrameStreamInput in, long[] into, int at) throws IOException;

  /** Merges the values of several shards. */
  abstract void merge(ShardValues parts, long[] into, int at);

  /** Creates OpenSearch's object. */
  abstract InternalAggregation toAggregation(NamedMetric named, long[] from, int at);

  /** Writes the members of the metric's JSON object in the plain number format. */
  abstract void write(JsonBuffer json, long[] from, int at);

  private static double toDouble(long[] from, int at) {
    return Double.longBitsToDouble(from[at]);
  }

  private static void writeExtreme(JsonBuffer json, double value) {
    json.writeAscii("\"value\":");
    if (Double.isInfinite(value)) {
      json.writeAscii("null");
    } else {
      json.writeNumber(value);
    }
  }
}
