package dev.weir.responses.sampling;

import dev.weir.core.reduce.memory.SearchCircuitBreaker;
import dev.weir.core.reduce.query.SampledReduction;
import dev.weir.core.reduce.query.SampledShards;
import dev.weir.responses.sampling.SampledRequestRewrite.SampledBuckets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.search.aggregations.Aggregation;
import org.opensearch.search.aggregations.InternalAggregation;
import org.opensearch.search.aggregations.InternalAggregations;
import org.opensearch.search.aggregations.bucket.histogram.HistogramFactory;
import org.opensearch.search.aggregations.bucket.terms.InternalTerms;

/**
 * The sampled shards of a search, which stand for all of its shards. Used by one thread at a time.
 */
public final class ShardSample implements SampledShards {
  private final SampledSearchSpec spec;
  private final int totalShards;
  private final List<Integer> sampledOrdinals;
  private final List<Integer> stratumSizes;
  private final int[] stratumOf;

  /**
   * The estimates for all shards.
   *
   * @param hits the number of matching documents
   * @param aggregations null if the search has none
   * @param description describes the sample for the response
   */
  public record Estimates(
      long hits, @Nullable InternalAggregations aggregations, Map<String, Object> description) {}

  /**
   * Creates a sample.
   *
   * @param indices the index of each shard of the search
   * @param drawn the positions of the sampled shards, in ascending order
   */
  ShardSample(SampledSearchSpec spec, List<String> indices, List<Integer> drawn) {
    this.spec = spec;
    this.totalShards = indices.size();
    this.sampledOrdinals = drawn;
    Map<String, Integer> numbers = new HashMap<>();
    this.stratumSizes = new ArrayList<>();
    for (String index : indices) {
      int number = numbers.computeIfAbsent(index, name -> numbers.size());
      if (number == stratumSizes.size()) {
        stratumSizes.add(0);
      }
      stratumSizes.set(number, stratumSizes.get(number) + 1);
    }
    this.stratumOf =
        drawn.stream().mapToInt(place -> numbers.getOrDefault(indices.get(place), 0)).toArray();
  }

  @Override
  public <T> List<T> select(List<T> shards) {
    return sampledOrdinals.stream().map(shards::get).toList();
  }

  @Override
  public int totalShards() {
    return totalShards;
  }

  @Override
  public long seed() {
    return spec.seed();
  }

  @Override
  public SampledReduction createReduction(
      NamedWriteableRegistry namedWriteables, SearchCircuitBreaker breaker) {
    return new SampleReducer(this, namedWriteables, breaker);
  }

  /** Counts the search after its response. */
  public void recordSearch() {
    spec.counts().recordSearch(sampledOrdinals.size(), totalShards);
  }

  /** Describes the sample of a search without shards. */
  public Map<String, Object> describeEmpty() {
    return describe(
        new StratifiedEstimator(stratumSizes, new int[0], spec.confidence(), true), new double[0]);
  }

  /**
   * Computes the estimates.
   *
   * @param answers the results of the shards that responded, in order
   * @param reduced their reduced aggregations; null for none
   * @param sound every result is complete: no shard timed out
   * @param bucketReservation reserves memory for a number of buckets; throws if the limit is
   *     reached
   * @throws IllegalArgumentException if the aggregations cannot be reduced
   */
  public Estimates estimate(
      List<SampledShardResult> answers,
      @Nullable InternalAggregations reduced,
      boolean sound,
      IntConsumer bucketReservation) {
    int[] strataOfAnswers = answers.stream().mapToInt(one -> stratumOf[one.ordinal()]).toArray();
    StratifiedEstimator estimator =
        new StratifiedEstimator(stratumSizes, strataOfAnswers, spec.confidence(), sound);
    double[] hits = answers.stream().mapToDouble(SampledShardResult::hits).toArray();
    return new Estimates(
        Math.round(estimator.sum(hits)),
        reduced == null
            ? null
            : estimateAggregations(
                answers, reduced, new EstimationContext(estimator, bucketReservation)),
        describe(estimator, hits));
  }

  private Map<String, Object> describe(StratifiedEstimator estimator, double[] hits) {
    Map<String, Object> shards = new LinkedHashMap<>();
    shards.put("total", totalShards);
    shards.put("sampled", sampledOrdinals.size());
    shards.put("answered", estimator.sampledShards());
    Map<String, Object> description = new LinkedHashMap<>();
    description.put("shards", shards);
    if (sampledOrdinals.size() == totalShards) {
      description.put("sampled", false);
      description.put("reason", spec.whyAllShards(totalShards));
    }
    description.put("confidence", spec.confidence());
    description.put("seed", spec.seed());
    if (spec.request().hasHitCount()) {
      description.put("hits", Map.of("total", DocCountBounds.countBounds(estimator.count(hits))));
    }
    return description;
  }

  private InternalAggregations estimateAggregations(
      List<SampledShardResult> answers, InternalAggregations reduced, EstimationContext work) {
    Map<String, Map<Integer, InternalAggregation>> byName = new HashMap<>();
    for (int place = 0; place < answers.size(); place++) {
      InternalAggregations own = answers.get(place).aggregations();
      if (own != null) {
        for (Aggregation aggregation : own) {
          byName
              .computeIfAbsent(aggregation.getName(), name -> new LinkedHashMap<>())
              .put(place, (InternalAggregation) aggregation);
        }
      }
    }
    List<InternalAggregation> estimates = new ArrayList<>();
    for (Aggregation aggregation : reduced) {
      estimates.add(
          estimate(
              (InternalAggregation) aggregation,
              byName.getOrDefault(aggregation.getName(), Map.of()),
              work));
    }
    return InternalAggregations.from(estimates);
  }

  private InternalAggregation estimate(
      InternalAggregation reduced,
      Map<Integer, InternalAggregation> shards,
      EstimationContext work) {
    SampledBuckets requestedBuckets = spec.request().buckets(reduced.getName());
    if (requestedBuckets != null && reduced instanceof InternalTerms<?, ?> terms) {
      return TermsEstimator.estimate(terms, shards, requestedBuckets, work);
    }
    if (requestedBuckets != null && reduced instanceof HistogramFactory histogram) {
      return HistogramEstimator.estimate(histogram, shards, requestedBuckets, work);
    }
    List<ShardMetric> results = new ArrayList<>(shards.size());
    shards.forEach((place, metric) -> results.add(new ShardMetric(place, metric)));
    return MetricEstimator.estimate(reduced, results, work.estimator(), true);
  }
}
