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
import org.opensearch.search.aggregations.metrics.InternalTDigestPercentileRanks;
import org.opensearch.search.aggregations.metrics.InternalTDigestPercentiles;
import org.opensearch.search.aggregations.metrics.MedianAbsoluteDeviation;
import org.opensearch.search.aggregations.metrics.PercentileRanks;
import org.opensearch.search.aggregations.metrics.Percentiles;
import org.opensearch.search.aggregations.metrics.TDigestState;

/**
 * Estimates how many bytes aggregations take on the wire, by the number of their buckets and of the
 * values in digests. To write them only for that costs as much as to send them, and compresses
 * digests once more than a node does that sends them in a message of its own. Only those are
 * written whose size nothing else tells, and that stay as they are.
 */
final class AggregationEstimate {
  /** The type, the name and the format of values of an aggregation. */
  private static final int HEADER_BYTES = 16;

  /** The numbers of a metric. */
  private static final int NUMBER_BYTES = 16;

  /** The count of a bucket, and a key that is a number. */
  private static final int BUCKET_BYTES = 8;

  /** The numbers that a digest has beside its centroids. */
  private static final int DIGEST_BYTES = 32;

  /** The mean and the weight of a centroid. */
  private static final int CENTROID_BYTES = 16;

  /** Smaller compressions count as this one. */
  private static final int MIN_COMPRESSION = 10;

  /** The digest of a median of deviations, of some hundred values: it can't be seen. */
  private static final int DEVIATIONS_BYTES = 2 << 10;

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
    if (one instanceof InternalTDigestPercentiles percentiles) {
      return digestBytes(percentiles.getState(), percentiles.getKeys());
    }
    if (one instanceof InternalTDigestPercentileRanks ranks) {
      return digestBytes(ranks.getState(), ranks.getKeys());
    }
    if (one instanceof MedianAbsoluteDeviation) {
      return DEVIATIONS_BYTES;
    }
    return one instanceof InternalAggregation other && !isNumbers(one)
        ? measure(other)
        : NUMBER_BYTES;
  }

  /** Returns about what a digest takes, once it is compressed, with the percents of the search. */
  private static long digestBytes(TDigestState digest, double[] percents) {
    long maxCentroids = (long) Math.max(MIN_COMPRESSION, digest.compression());
    return DIGEST_BYTES
        + (long) Double.BYTES * percents.length
        + CENTROID_BYTES * Math.min(digest.size(), maxCentroids);
  }

  /** Returns whether a metric has a few numbers alone. */
  private static boolean isNumbers(Aggregation one) {
    return one instanceof InternalNumericMetricsAggregation
        && !(one instanceof Percentiles)
        && !(one instanceof PercentileRanks)
        && !(one instanceof Cardinality);
  }

  /** Measures documents, values of a script, or sketches: they are of any size. */
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
