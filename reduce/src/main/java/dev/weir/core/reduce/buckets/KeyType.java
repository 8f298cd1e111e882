package dev.weir.core.reduce.buckets;

import dev.weir.protocol.FrameStreamInput;
import java.io.IOException;
import org.opensearch.search.aggregations.bucket.histogram.DateHistogramAggregationBuilder;
import org.opensearch.search.aggregations.bucket.histogram.HistogramAggregationBuilder;

/**
 * How histograms of a type store and compare their keys. Keys are kept as the long that is on the
 * wire; fractions as {@link Double#doubleToRawLongBits}.
 */
enum KeyType {
  /** Milliseconds since the epoch. */
  DATE {
    @Override
    int compare(long one, long other) {
      return Long.compare(one, other);
    }

    @Override
    boolean isSameGroup(long key, long group) {
      return (double) key == (double) group; // like OpenSearch, which compares as doubles here
    }

    @Override
    Number toNumber(long key) {
      return key;
    }

    @Override
    long toKey(Number number) {
      return number.longValue();
    }
  },

  NUMBER {
    @Override
    int compare(long one, long other) {
      return Double.compare(Double.longBitsToDouble(one), Double.longBitsToDouble(other));
    }

    @Override
    boolean isSameGroup(long key, long group) {
      return compare(key, group) == 0;
    }

    @Override
    Number toNumber(long key) {
      return Double.longBitsToDouble(key);
    }

    @Override
    long toKey(Number number) {
      return Double.doubleToRawLongBits(number.doubleValue());
    }
  };

  /** Returns whether the type of an aggregation is a histogram. */
  static boolean isHistogram(String type) {
    return type.equals(DateHistogramAggregationBuilder.NAME)
        || type.equals(HistogramAggregationBuilder.NAME);
  }

  /** Returns the keys of a histogram's type. */
  static KeyType of(String type) {
    return type.equals(DateHistogramAggregationBuilder.NAME) ? DATE : NUMBER;
  }

  long read(FrameStreamInput in) throws IOException {
    return in.readLong();
  }

  /** Compares keys in the order in which shards sort them. */
  abstract int compare(long one, long other);

  /** Returns whether a key belongs to the bucket of another key that is not larger. */
  abstract boolean isSameGroup(long key, long group);

  abstract Number toNumber(long key);

  abstract long toKey(Number number);
}
