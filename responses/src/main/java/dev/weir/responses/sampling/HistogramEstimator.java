package dev.weir.responses.sampling;

import dev.weir.responses.sampling.SampledRequestRewrite.SampledBuckets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.opensearch.search.aggregations.InternalAggregation;
import org.opensearch.search.aggregations.InternalAggregations;
import org.opensearch.search.aggregations.InternalOrder;
import org.opensearch.search.aggregations.bucket.MultiBucketsAggregation;
import org.opensearch.search.aggregations.bucket.MultiBucketsAggregation.Bucket;
import org.opensearch.search.aggregations.bucket.histogram.HistogramFactory;

/** Estimates histograms of numbers and dates. */
final class HistogramEstimator {
  private HistogramEstimator() {}

  /**
   * Estimates a histogram.
   *
   * @param reduced the reduced histogram of the shards that responded, without gaps
   * @param shards the shards' histograms, by index of the shard result
   */
  static InternalAggregation estimate(
      HistogramFactory reduced,
      Map<Integer, InternalAggregation> shards,
      SampledBuckets requested,
      EstimationContext work) {
    Map<Number, BucketOccurrences> byKey = new HashMap<>();
    shards.forEach((place, shard) -> {
      List<? extends Bucket> buckets = ((MultiBucketsAggregation) shard).getBuckets();
      work.reserveBuckets(buckets.size());
      for (Bucket bucket : buckets) {
        byKey
            .computeIfAbsent(
                ((HistogramFactory) shard).getKey(bucket), key -> new BucketOccurrences())
            .add(place, bucket);
      }
    });
    List<Bucket> estimates = new ArrayList<>();
    for (Bucket bucket : ((MultiBucketsAggregation) reduced).getBuckets()) {
      work.reserveBuckets(1);
      Number key = reduced.getKey(bucket);
      BucketOccurrences found = byKey.get(key);
      if (found == null) {
        InternalAggregations within =
            BucketOccurrences.estimateAggregations(bucket, work.estimator());
        estimates.add(reduced.createBucket(key, 0, within));
        continue;
      }
      Estimate count = found.estimateCount(work.estimator());
      if (count.roundedValue() >= requested.minDocCount()) {
        estimates.add(
            reduced.createBucket(
                key,
                count.roundedValue(),
                found.estimateAggregations(count, work.estimator(), true)));
      }
    }
    if (!InternalOrder.isKeyOrder(requested.order())) {
      estimates.sort(requested.order().comparator());
    }
    return reduced.createAggregation(estimates);
  }
}
