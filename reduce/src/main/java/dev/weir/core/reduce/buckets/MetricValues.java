package dev.weir.core.reduce.buckets;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.function.DoubleUnaryOperator;
import org.HdrHistogram.DoubleHistogram;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.core.xcontent.XContentBuilder;
import org.opensearch.search.aggregations.Aggregation.CommonFields;
import org.opensearch.search.aggregations.InternalAggregation;
import org.opensearch.search.aggregations.metrics.InternalCardinality;
import org.opensearch.search.aggregations.metrics.InternalHDRPercentileRanks;
import org.opensearch.search.aggregations.metrics.InternalHDRPercentiles;
import org.opensearch.search.aggregations.metrics.InternalNumericMetricsAggregation;
import org.opensearch.search.aggregations.metrics.InternalTDigestPercentileRanks;
import org.opensearch.search.aggregations.metrics.InternalTDigestPercentiles;
import org.opensearch.search.aggregations.metrics.TDigestState;

/**
 * Finished metrics without their digest or sketch: what the response shows of them. OpenSearch's
 * own classes write them, with other values. None of them can be reduced again, or serialized.
 */
final class MetricValues {
  /** Heap bytes of a metric without its values. */
  private static final int METRIC_BYTES = 128;

  /** Heap bytes of a digest for each unit of its compression: its arrays and their buffers. */
  static final int BYTES_OF_COMPRESSION = 250;

  private static final TDigestState NO_DIGEST = new TDigestState(1);
  private static final TDigestState SOME_DIGEST = new TDigestState(1);
  private static final DoubleHistogram NO_HISTOGRAM = new DoubleHistogram(1);
  private static final DoubleHistogram SOME_HISTOGRAM = new DoubleHistogram(1);

  static {
    SOME_DIGEST.add(1);
    SOME_HISTOGRAM.recordValue(1);
  }

  private MetricValues() {}

  /** Returns a metric with the same content; null if it has no smaller form. */
  static @Nullable InternalAggregation of(InternalAggregation reduced) {
    return switch (reduced) {
      case InternalTDigestPercentiles digest -> new DigestPercentiles(digest);
      case InternalTDigestPercentileRanks digest -> new DigestRanks(digest);
      case InternalHDRPercentiles histogram -> new HistogramPercentiles(histogram);
      case InternalHDRPercentileRanks histogram -> new HistogramRanks(histogram);
      case InternalCardinality sketch -> new Cardinality(sketch);
      default -> null;
    };
  }

  /** Returns about how many bytes of heap the values take. */
  static long heapBytes(InternalAggregation values) {
    int count =
        switch (values) {
          case InternalTDigestPercentiles digest -> digest.getKeys().length;
          case InternalTDigestPercentileRanks digest -> digest.getKeys().length;
          case InternalHDRPercentiles histogram -> histogram.getKeys().length;
          case InternalHDRPercentileRanks histogram -> histogram.getKeys().length;
          default -> 1;
        };
    return METRIC_BYTES + 2L * Double.BYTES * count; // keys and values
  }

  /** Returns about how many bytes of heap a digest or histogram takes; negative if unknown. */
  static long objectBytes(InternalAggregation metric) {
    return switch (metric) {
      case InternalTDigestPercentiles digest -> digestBytes(digest.getState());
      case InternalTDigestPercentileRanks digest -> digestBytes(digest.getState());
      case InternalHDRPercentiles histogram -> histogram.getState().getEstimatedFootprintInBytes();
      case InternalHDRPercentileRanks histogram ->
          histogram.getState().getEstimatedFootprintInBytes();
      default -> -1;
    };
  }

  private static long digestBytes(TDigestState digest) {
    return METRIC_BYTES + (long) (BYTES_OF_COMPRESSION * digest.compression());
  }

  private static TDigestState digestLike(TDigestState state) {
    return state.size() == 0 ? NO_DIGEST : SOME_DIGEST;
  }

  private static DoubleHistogram histogramLike(DoubleHistogram state) {
    return state.getTotalCount() == 0 ? NO_HISTOGRAM : SOME_HISTOGRAM;
  }

  /** The values of the keys of percentiles. */
  private static final class KeyedValues {
    private final double[] keys;
    private final double[] values;

    KeyedValues(double[] keys, DoubleUnaryOperator metric) {
      this.keys = keys;
      this.values = Arrays.stream(keys).map(metric).toArray();
    }

    double valueOf(double key) {
      for (int i = 0; i < keys.length; i++) {
        if (Double.compare(keys[i], key) == 0) {
          return values[i];
        }
      }
      throw new UnsupportedOperationException("got " + key + " (expected: a key of the response)");
    }
  }

  private static final class DigestPercentiles extends InternalTDigestPercentiles {
    private final KeyedValues values;

    DigestPercentiles(InternalTDigestPercentiles from) {
      super(
          from.getName(),
          from.getKeys(),
          digestLike(from.getState()),
          from.keyed(),
          from.formatter(),
          from.getMetadata());
      this.values = new KeyedValues(keys, from::value);
    }

    @Override
    public double value(double key) {
      return values.valueOf(key);
    }

    @Override
    protected void doWriteTo(StreamOutput out) {} // only its size is measured
  }

  private static final class DigestRanks extends InternalTDigestPercentileRanks {
    private final KeyedValues values;

    DigestRanks(InternalTDigestPercentileRanks from) {
      super(
          from.getName(),
          from.getKeys(),
          digestLike(from.getState()),
          from.keyed(),
          from.formatter(),
          from.getMetadata());
      this.values = new KeyedValues(keys, from::value);
    }

    @Override
    public double value(double key) {
      return values.valueOf(key);
    }

    @Override
    protected void doWriteTo(StreamOutput out) {} // only its size is measured
  }

  private static final class HistogramPercentiles extends InternalHDRPercentiles {
    private final KeyedValues values;

    HistogramPercentiles(InternalHDRPercentiles from) {
      super(
          from.getName(),
          from.getKeys(),
          histogramLike(from.getState()),
          from.keyed(),
          from.formatter(),
          from.getMetadata());
      this.values = new KeyedValues(keys, from::value);
    }

    @Override
    public double value(double key) {
      return values.valueOf(key);
    }

    @Override
    protected void doWriteTo(StreamOutput out) {} // only its size is measured
  }

  private static final class HistogramRanks extends InternalHDRPercentileRanks {
    private final KeyedValues values;

    HistogramRanks(InternalHDRPercentileRanks from) {
      super(
          from.getName(),
          from.getKeys(),
          histogramLike(from.getState()),
          from.keyed(),
          from.formatter(),
          from.getMetadata());
      this.values = new KeyedValues(keys, from::value);
    }

    @Override
    public double value(double key) {
      return values.valueOf(key);
    }

    @Override
    protected void doWriteTo(StreamOutput out) {} // only its size is measured
  }

  private static final class Cardinality extends InternalNumericMetricsAggregation.SingleValue {
    private final String type;
    private final long cardinality;

    Cardinality(InternalCardinality from) {
      super(from.getName(), from.getMetadata());
      this.type = from.getWriteableName();
      this.cardinality = from.getValue();
    }

    @Override
    public String getWriteableName() {
      return type;
    }

    @Override
    public double value() {
      return (double) cardinality;
    }

    @Override
    public InternalAggregation reduce(List<InternalAggregation> parts, ReduceContext context) {
      throw new UnsupportedOperationException(
          "got a finished cardinality to reduce (expected: to write it as content)");
    }

    @Override
    public XContentBuilder doXContentBody(XContentBuilder builder, Params params)
        throws IOException {
      return builder.field(CommonFields.VALUE.getPreferredName(), cardinality);
    }

    @Override
    protected void doWriteTo(StreamOutput out) {} // only its size is measured
  }
}
