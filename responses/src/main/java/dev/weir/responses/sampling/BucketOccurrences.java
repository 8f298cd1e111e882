package dev.weir.responses.sampling;

import dev.weir.responses.sampling.MetricEstimator.ShardMetric;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.opensearch.search.aggregations.Aggregation;
import org.opensearch.search.aggregations.InternalAggregation;
import org.opensearch.search.aggregations.InternalAggregations;
import org.opensearch.search.aggregations.bucket.MultiBucketsAggregation.Bucket;

/** The buckets of one key, by the shards that have it. Used by one thread. */
final class BucketOccurrences {
  private final List<Integer> shardIndexes = new ArrayList<>(2);
  private final List<Bucket> buckets = new ArrayList<>(2);

  void add(int place, Bucket bucket) {
    shardIndexes.add(place);
    buckets.add(bucket);
  }

  /** One of them. */
  Bucket first() {
    return buckets.getFirst();
  }

  /** How many documents of all shards it stands for. */
  double weightedCount(StratifiedEstimator estimator) {
    double count = 0;
    for (int i = 0; i < shardIndexes.size(); i++) {
      count += estimator.weight(shardIndexes.get(i)) * buckets.get(i).getDocCount();
    }
    return count;
  }

  /** How many documents it has. */
  Estimate estimateCount(StratifiedEstimator estimator) {
    double[] counts = new double[estimator.sampledShards()];
    for (int i = 0; i < shardIndexes.size(); i++) {
      counts[shardIndexes.get(i)] = buckets.get(i).getDocCount();
    }
    return estimator.count(counts);
  }

  /** By shard, whether it has one. */
  boolean[] presence(int shards) {
    boolean[] present = new boolean[shards];
    shardIndexes.forEach(place -> present[place] = true);
    return present;
  }

  /**
   * What lies in it: bounds of its count, and its metrics, in the order in which OpenSearch has
   * them.
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
    for (List<ShardMetric> told : metrics.values()) {
      estimates.add(MetricEstimator.estimate(told.getFirst().metric(), told, estimator, bounded));
    }
    return InternalAggregations.from(estimates);
  }

  /** What lies in a bucket that no shard has. */
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
