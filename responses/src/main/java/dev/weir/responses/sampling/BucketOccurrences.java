package dev.weir.responses.sampling;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.opensearch.search.aggregations.Aggregation;
import org.opensearch.search.aggregations.InternalAggregation;
import org.opensearch.search.aggregations.InternalAggregations;
import org.opensearch.search.aggregations.bucket.MultiBucketsAggregation.Bucket;

/** The buckets with one key, and the shards that returned them. Used by one thread. */
final class BucketOccurrences {
  private final List<Integer> shardIndexes = new ArrayList<>(2);
  private final List<Bucket> buckets = new ArrayList<>(2);

  void add(int place, Bucket bucket) {
    shardIndexes.add(place);
    buckets.add(bucket);
  }

  Bucket first() {
    return buckets.getFirst();
  }

  /** Estimates the document count over all shards, without bounds. */
  double weightedCount(StratifiedEstimator estimator) {
    double count = 0;
    for (int i = 0; i < shardIndexes.size(); i++) {
      count += estimator.weight(shardIndexes.get(i)) * buckets.get(i).getDocCount();
    }
    return count;
  }

  /** Estimates the document count. */
  Estimate estimateCount(StratifiedEstimator estimator) {
    double[] counts = new double[estimator.sampledShards()];
    for (int i = 0; i < shardIndexes.size(); i++) {
      counts[shardIndexes.get(i)] = buckets.get(i).getDocCount();
    }
    return estimator.count(counts);
  }

  /** Returns, by shard, whether the shard returned a bucket. */
  boolean[] presence(int shards) {
    boolean[] present = new boolean[shards];
    shardIndexes.forEach(place -> present[place] = true);
    return present;
  }

  /**
   * Estimates the bucket's contents: the bounds of its count, and its metrics in OpenSearch's
   * order.
   */
  InternalAggregations estimateAggregations(
      Estimate count, StratifiedEstimator estimator, boolean bounded) {
    Map<String, List<ShardMetric>> metrics = new HashMap<>();
    for (int i = 0; i < shardIndexes.size(); i++) {
      for (Aggregation metric : buckets.get(i).getAggregations()) {
        metrics
            .computeIfAbsent(metric.getName(), name -> new ArrayList<>())
            .add(new ShardMetric(shardIndexes.get(i), (InternalAggregation) metric));
      }
    }
    List<InternalAggregation> estimates = new ArrayList<>(metrics.size() + 1);
    estimates.add(new DocCountBounds(count));
    for (List<ShardMetric> results : metrics.values()) {
      estimates.add(
          MetricEstimator.estimate(results.getFirst().metric(), results, estimator, bounded));
    }
    return InternalAggregations.from(estimates);
  }

  /** Estimates the contents of a bucket that no shard returned. */
  static InternalAggregations estimateAggregations(Bucket empty, StratifiedEstimator estimator) {
    List<InternalAggregation> estimates = new ArrayList<>();
    estimates.add(new DocCountBounds(estimator.count(new double[estimator.sampledShards()])));
    for (Aggregation metric : empty.getAggregations()) {
      estimates.add(
          MetricEstimator.estimate(
              (InternalAggregation) metric, List.of(), estimator, estimator.isComplete()));
    }
    return InternalAggregations.from(estimates);
  }
}
