package dev.weir.core.reduce.sample;

import dev.weir.core.reduce.sample.SampledRequest.Buckets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import org.opensearch.search.aggregations.Aggregation;
import org.opensearch.search.aggregations.InternalAggregation;
import org.opensearch.search.aggregations.InternalAggregations;
import org.opensearch.search.aggregations.bucket.histogram.HistogramFactory;
import org.opensearch.search.aggregations.bucket.terms.InternalTerms;

/** Those shards of a search that are asked, which stand for all. Used by one thread at a time. */
public final class Sample {
  private final SampleAsk ask;
  private final int all;
  private final List<Integer> drawn;
  private final List<Integer> strata;
  private final int[] stratumOf;

  /**
   * What all shards would answer.
   *
   * @param hits how many documents are found
   * @param aggregations null where none are asked for
   * @param told how it was estimated
   */
  public record Estimates(
      long hits, @Nullable InternalAggregations aggregations, Map<String, Object> told) {}

  /**
   * Makes one.
   *
   * @param indices the index of each shard of the search
   * @param drawn the places of those that are asked, in order
   */
  Sample(SampleAsk ask, List<String> indices, List<Integer> drawn) {
    this.ask = ask;
    this.all = indices.size();
    this.drawn = drawn;
    Map<String, Integer> numbers = new HashMap<>();
    this.strata = new ArrayList<>();
    for (String index : indices) {
      int number = numbers.computeIfAbsent(index, name -> numbers.size());
      if (number == strata.size()) {
        strata.add(0);
      }
      strata.set(number, strata.get(number) + 1);
    }
    this.stratumOf =
        drawn.stream().mapToInt(place -> numbers.getOrDefault(indices.get(place), 0)).toArray();
  }

  /** Those of all shards that are asked, in order. */
  public <T> List<T> of(List<T> shards) {
    return drawn.stream().map(shards::get).toList();
  }

  /** How many shards the search has. */
  public int all() {
    return all;
  }

  /** What decided which. */
  public long seed() {
    return ask.seed();
  }

  /** Counts the search, which was answered. */
  public void answered() {
    ask.counts().answered(drawn.size(), all);
  }

  /** How an answer to a search without shards is told. */
  public Map<String, Object> toldOfNothing() {
    return told(new Estimator(strata, new int[0], ask.confidence(), true), new double[0]);
  }

  /**
   * Estimates.
   *
   * @param answers of the shards that answered, in their order
   * @param reduced their aggregations put together; null for none
   * @param sound whether they told all they have: none was short of time
   * @param paying hears of buckets that are going to be held, and throws where there is no room
   * @throws IllegalArgumentException where they can't be put together
   */
  public Estimates estimate(
      List<ShardAnswer> answers,
      @Nullable InternalAggregations reduced,
      boolean sound,
      IntConsumer paying) {
    int[] strataOfAnswers = answers.stream().mapToInt(one -> stratumOf[one.ordinal()]).toArray();
    Estimator estimator = new Estimator(strata, strataOfAnswers, ask.confidence(), sound);
    double[] hits = answers.stream().mapToDouble(ShardAnswer::hits).toArray();
    return new Estimates(
        Math.round(estimator.sum(hits)),
        reduced == null ? null : aggregations(answers, reduced, new Work(estimator, paying)),
        told(estimator, hits));
  }

  private Map<String, Object> told(Estimator estimator, double[] hits) {
    Map<String, Object> shards = new LinkedHashMap<>();
    shards.put("total", all);
    shards.put("sampled", drawn.size());
    shards.put("answered", estimator.answered());
    Map<String, Object> told = new LinkedHashMap<>();
    told.put("shards", shards);
    told.put("confidence", ask.confidence());
    told.put("seed", ask.seed());
    if (ask.request().counted()) {
      told.put("hits", Map.of("total", CountBounds.ofCount(estimator.count(hits))));
    }
    return told;
  }

  private InternalAggregations aggregations(
      List<ShardAnswer> answers, InternalAggregations reduced, Work work) {
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
      InternalAggregation reduced, Map<Integer, InternalAggregation> shards, Work work) {
    Buckets asked = ask.request().buckets(reduced.getName());
    if (asked != null && reduced instanceof InternalTerms<?, ?> terms) {
      return TermLists.of(terms, shards, asked, work);
    }
    if (asked != null && reduced instanceof HistogramFactory histogram) {
      return Histograms.of(histogram, shards, asked, work);
    }
    List<Metrics.Told> told = new ArrayList<>(shards.size());
    shards.forEach((place, metric) -> told.add(new Metrics.Told(place, metric)));
    return Metrics.of(reduced, told, work.estimator(), true);
  }
}
