package dev.weir.core.reduce.sample;

import dev.weir.core.reduce.sample.SampledRequest.Buckets;
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

/** Estimates histograms, of numbers and of dates. */
final class Histograms {
  private Histograms() {}

  /**
   * The estimate of a histogram.
   *
   * @param reduced of the shards that answered, with the gaps filled
   * @param shards theirs, by place
   */
  static InternalAggregation of(
      HistogramFactory reduced,
      Map<Integer, InternalAggregation> shards,
      Buckets asked,
      Work work) {
    Map<Number, Occurrences> byKey = new HashMap<>();
    shards.forEach((place, shard) -> {
      List<? extends Bucket> buckets = ((MultiBucketsAggregation) shard).getBuckets();
      work.payFor(buckets.size());
      for (Bucket bucket : buckets) {
        byKey
            .computeIfAbsent(((HistogramFactory) shard).getKey(bucket), key -> new Occurrences())
            .add(place, bucket);
      }
    });
    List<Bucket> estimates = new ArrayList<>();
    for (Bucket bucket : ((MultiBucketsAggregation) reduced).getBuckets()) {
      work.payFor(1);
      Number key = reduced.getKey(bucket);
      Occurrences found = byKey.get(key);
      if (found == null) {
        InternalAggregations within = Occurrences.within(bucket, work.estimator());
        estimates.add(reduced.createBucket(key, 0, within));
        continue;
      }
      Estimate count = found.count(work.estimator());
      if (count.rounded() >= asked.leastCount()) {
        estimates.add(
            reduced.createBucket(
                key, count.rounded(), found.within(count, work.estimator(), true)));
      }
    }
    if (!InternalOrder.isKeyOrder(asked.order())) {
      estimates.sort(asked.order().comparator());
    }
    return reduced.createAggregation(estimates);
  }
}
