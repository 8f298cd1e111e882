package dev.weir.core.reduce.sample;

import dev.weir.core.reduce.sample.Metrics.Told;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.opensearch.search.aggregations.Aggregation;
import org.opensearch.search.aggregations.InternalAggregation;
import org.opensearch.search.aggregations.InternalAggregations;
import org.opensearch.search.aggregations.bucket.MultiBucketsAggregation.Bucket;

/** The buckets of one key, by the shards that have it. Used by one thread. */
final class Occurrences {
  private final List<Integer> places = new ArrayList<>(2);
  private final List<Bucket> buckets = new ArrayList<>(2);

  void add(int place, Bucket bucket) {
    places.add(place);
    buckets.add(bucket);
  }

  /** One of them. */
  Bucket first() {
    return buckets.getFirst();
  }

  /** How many documents of all shards it stands for. */
  double weighed(Estimator estimator) {
    double count = 0;
    for (int i = 0; i < places.size(); i++) {
      count += estimator.weight(places.get(i)) * buckets.get(i).getDocCount();
    }
    return count;
  }

  /** How many documents it has. */
  Estimate count(Estimator estimator) {
    double[] counts = new double[estimator.answered()];
    for (int i = 0; i < places.size(); i++) {
      counts[places.get(i)] = buckets.get(i).getDocCount();
    }
    return estimator.count(counts);
  }

  /** By shard, whether it has one. */
  boolean[] present(int shards) {
    boolean[] present = new boolean[shards];
    places.forEach(place -> present[place] = true);
    return present;
  }

  /**
   * What lies in it: bounds of its count, and its metrics, in the order in which OpenSearch has
   * them.
   */
  InternalAggregations within(Estimate count, Estimator estimator, boolean bounded) {
    Map<String, List<Told>> metrics = new HashMap<>();
    for (int i = 0; i < places.size(); i++) {
      for (Aggregation metric : buckets.get(i).getAggregations()) {
        metrics
            .computeIfAbsent(metric.getName(), name -> new ArrayList<>())
            .add(new Told(places.get(i), (InternalAggregation) metric));
      }
    }
    List<InternalAggregation> estimates = new ArrayList<>(metrics.size() + 1);
    estimates.add(new CountBounds(count));
    for (List<Told> told : metrics.values()) {
      estimates.add(Metrics.of(told.getFirst().metric(), told, estimator, bounded));
    }
    return InternalAggregations.from(estimates);
  }

  /** What lies in a bucket that no shard has. */
  static InternalAggregations within(Bucket empty, Estimator estimator) {
    List<InternalAggregation> estimates = new ArrayList<>();
    estimates.add(new CountBounds(estimator.count(new double[estimator.answered()])));
    for (Aggregation metric : empty.getAggregations()) {
      estimates.add(
          Metrics.of((InternalAggregation) metric, List.of(), estimator, estimator.whole()));
    }
    return InternalAggregations.from(estimates);
  }
}
