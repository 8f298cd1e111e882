package dev.weir.core.reduce.buckets;

import dev.weir.protocol.FrameStreamInput;
import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.opensearch.Version;
import org.opensearch.search.DocValueFormat;
import org.opensearch.search.aggregations.metrics.CardinalityAggregationBuilder;
import org.opensearch.search.aggregations.metrics.InternalHDRPercentileRanks;
import org.opensearch.search.aggregations.metrics.InternalHDRPercentiles;
import org.opensearch.search.aggregations.metrics.InternalTDigestPercentileRanks;
import org.opensearch.search.aggregations.metrics.InternalTDigestPercentiles;
import org.opensearch.search.aggregations.metrics.MedianAbsoluteDeviationAggregationBuilder;

/**
 * Metrics that take far more heap than bytes, and where they end on the wire. Their readers
 * allocate what the bytes say, so the bytes are checked first.
 */
enum DelayedMetricType {
  TDIGEST_PERCENTILES(InternalTDigestPercentiles.NAME) {
    @Override
    void skipContents(ShardResult shard) throws IOException {
      skipKeys(shard);
      skipDigest(shard);
      shard.skip(1); // keyed
    }
  },

  TDIGEST_RANKS(InternalTDigestPercentileRanks.NAME) {
    @Override
    void skipContents(ShardResult shard) throws IOException {
      TDIGEST_PERCENTILES.skipContents(shard);
    }
  },

  HDR_PERCENTILES(InternalHDRPercentiles.NAME) {
    @Override
    void skipContents(ShardResult shard) throws IOException {
      skipKeys(shard);
      shard.skip(Long.BYTES); // a bound of the values
      shard.skip(shard.input().readVInt());
      shard.skip(1); // keyed
    }
  },

  HDR_RANKS(InternalHDRPercentileRanks.NAME) {
    @Override
    void skipContents(ShardResult shard) throws IOException {
      HDR_PERCENTILES.skipContents(shard);
    }
  },

  CARDINALITY(CardinalityAggregationBuilder.NAME) {
    @Override
    void skipContents(ShardResult shard) throws IOException {
      FrameStreamInput in = shard.input();
      if (!in.readBoolean()) {
        return; // no documents
      }
      int precision = in.readVInt();
      if (precision < MIN_PRECISION || precision > MAX_PRECISION) {
        throw new IOException(
            "got a sketch of precision "
                + precision
                + " (expected: "
                + MIN_PRECISION
                + " to "
                + MAX_PRECISION
                + ")");
      }
      boolean isDense = in.readBoolean();
      shard.skip(isDense ? 1L << precision : Math.multiplyExact(in.readVLong(), Integer.BYTES));
    }
  },

  MEDIAN_ABSOLUTE_DEVIATION(MedianAbsoluteDeviationAggregationBuilder.NAME) {
    @Override
    void skipContents(ShardResult shard) throws IOException {
      skipDigest(shard);
      shard.skip(Double.BYTES); // the deviation
    }
  };

  private static final int MIN_PRECISION = 4;
  private static final int MAX_PRECISION = 18;

  /** How t-digest marks digests of 32-bit numbers. */
  private static final int COMPACT_DIGEST = 2;

  private static final double MAX_COMPRESSION = 1e12;
  private static final long LARGE_DIGEST_BYTES = 1 << 20;

  private static final Map<String, DelayedMetricType> BY_NAME =
      Arrays.stream(values()).collect(Collectors.toMap(type -> type.wireName, Function.identity()));

  private final String wireName;

  DelayedMetricType(String wireName) {
    this.wireName = wireName;
  }

  /** Returns the metric of a type on the wire; null for all other aggregations. */
  static @Nullable DelayedMetricType of(String type) {
    return BY_NAME.get(type);
  }

  /**
   * Skips a metric.
   *
   * @param shard at the metric, after its type and name
   */
  void skip(ShardResult shard) throws IOException {
    shard.input().readMap(); // metadata
    shard.input().readNamedWriteable(DocValueFormat.class);
    skipContents(shard);
  }

  /** Skips what follows after the format. */
  abstract void skipContents(ShardResult shard) throws IOException;

  private static void skipKeys(ShardResult shard) throws IOException {
    shard.skip((long) Double.BYTES * shard.input().readVInt());
  }

  private static void skipDigest(ShardResult shard) throws IOException {
    FrameStreamInput in = shard.input();
    if (in.getVersion().before(Version.V_3_4_0)) {
      checkCompression(in.readDouble(), shard);
      for (int i = shard.readCount(Double.BYTES + 1); i > 0; i--) {
        in.readDouble(); // mean
        in.readVLong(); // documents
      }
      return;
    }
    int length = in.readVInt();
    int start = in.position();
    boolean isCompact = in.readInt() == COMPACT_DIGEST;
    shard.skip(2 * Double.BYTES); // minimum and maximum
    checkCompression(isCompact ? Float.intBitsToFloat(in.readInt()) : in.readDouble(), shard);
    shard.skip((long) start + length - in.position());
  }

  /** The compression determines the size of a digest's arrays. */
  private static void checkCompression(double compression, ShardResult shard) {
    long bytes =
        (long) (Math.min(compression, MAX_COMPRESSION) * MetricValues.BYTES_OF_COMPRESSION);
    if (bytes > LARGE_DIGEST_BYTES) {
      shard.reduction().workspace().checkRoom(bytes);
    }
  }
}
