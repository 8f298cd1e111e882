package dev.weir.node.batch;

import java.util.List;
import org.opensearch.search.aggregations.Aggregation;
import org.opensearch.search.aggregations.Aggregations;
import org.opensearch.search.aggregations.InternalAggregation;
import org.opensearch.search.aggregations.InternalAggregations;
import org.opensearch.search.aggregations.bucket.MultiBucketsAggregation;
import org.opensearch.search.aggregations.bucket.SingleBucketAggregation;
import org.opensearch.search.aggregations.bucket.terms.StringTerms;
import org.opensearch.search.aggregations.metrics.Cardinality;
import org.opensearch.search.aggregations.metrics.InternalNumericMetricsAggregation;
import org.opensearch.search.aggregations.metrics.MedianAbsoluteDeviation;
import org.opensearch.search.aggregations.metrics.PercentileRanks;
import org.opensearch.search.aggregations.metrics.Percentiles;

/**
 * Estimates how many bytes aggregations take on the wire, by the number of their buckets. To write
 * them only for that costs as much as to send them, and compresses the sketches of percentiles once
 * more than a node does that sends them in a message of its own.
 */
final class AggregationEstimate {
  /** The type, the name and the format of values of an aggregation. */
  private static final int HEADER_BYTES = 16;

  /** The numbers of a metric. */
  private static final int NUMBER_BYTES = 16;

  /** The count of a bucket, and a key that is a number. */
  private static final int BUCKET_BYTES = 8;

  /** The sketch of some hundred values, which percentiles and cardinalities have. */
  private static final int SKETCH_BYTES = 2 << 10;

  private AggregationEstimate() {}

  /** Returns about how many bytes aggregations take. */
  static long bytes(Aggregations all) {
    long bytes = 0;
    for (Aggregation one : all) {
      bytes += HEADER_BYTES + contentBytes(one);
    }
    return bytes;
  }

  private static long contentBytes(Aggregation one) {
    if (one instanceof MultiBucketsAggregation many) {
      return bucketBytes(many);
    }
    if (one instanceof SingleBucketAggregation bucket) {
      return BUCKET_BYTES + bytes(bucket.getAggregations());
    }
    if (isSketch(one)) {
      return SKETCH_BYTES;
    }
    return one instanceof InternalAggregation other
            && !(one instanceof InternalNumericMetricsAggregation)
        ? measure(other)
        : NUMBER_BYTES;
  }

  private static boolean isSketch(Aggregation one) {
    return one instanceof Percentiles
        || one instanceof PercentileRanks
        || one instanceof Cardinality
        || one instanceof MedianAbsoluteDeviation;
  }

  /** Measures documents, or values of a script: they are of any size. */
  private static long measure(InternalAggregation other) {
    return InternalAggregations.from(List.of(other)).getSerializedSize();
  }

  private static long bucketBytes(MultiBucketsAggregation of) {
    List<? extends MultiBucketsAggregation.Bucket> buckets = of.getBuckets();
    long bytes = (long) buckets.size() * (BUCKET_BYTES + keyBytes(of));
    for (MultiBucketsAggregation.Bucket bucket : buckets) {
      bytes += bytes(bucket.getAggregations());
    }
    return bytes;
  }

  /** Returns how long a key is that is a text; that of the first bucket stands for all. */
  private static int keyBytes(MultiBucketsAggregation of) {
    return of instanceof StringTerms && !of.getBuckets().isEmpty()
        ? of.getBuckets().getFirst().getKeyAsString().length()
        : 0;
  }
}
