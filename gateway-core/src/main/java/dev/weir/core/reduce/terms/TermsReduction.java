package dev.weir.core.reduce.terms;

import dev.weir.protocol.FrameInput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.opensearch.search.aggregations.AggregationBuilder;
import org.opensearch.search.aggregations.BucketOrder;
import org.opensearch.search.aggregations.InternalAggregation;
import org.opensearch.search.aggregations.InternalAggregation.ReduceContext;
import org.opensearch.search.aggregations.InternalAggregations;
import org.opensearch.search.aggregations.InternalOrder;
import org.opensearch.search.aggregations.bucket.terms.DoubleTerms;
import org.opensearch.search.aggregations.bucket.terms.LongTerms;
import org.opensearch.search.aggregations.bucket.terms.StringTerms;
import org.opensearch.search.aggregations.bucket.terms.TermsAggregationBuilder;
import org.opensearch.search.aggregations.bucket.terms.TermsAggregator.BucketCountThresholds;
import org.opensearch.search.aggregations.bucket.terms.TermsAggregator.CoordinatorBucketCountThresholds;
import org.opensearch.search.aggregations.bucket.terms.UnmappedTerms;
import org.opensearch.search.builder.SearchSourceBuilder;

/**
 * The final reduction of terms aggregations with plain metrics in their buckets, from bytes. A
 * shard lists half as many buckets again as are asked for, and the shards' differ: of all that come
 * most are in no answer. So counts and keys are read first, and the figures of the chosen ones,
 * which become objects only for who looks at them as such. What comes out is what {@code
 * InternalTerms.reduce} makes of the same answers.
 */
public final class TermsReduction {
  private TermsReduction() {}

  /** Whether a search's aggregations may be reduced so; their answers can still say otherwise. */
  public static boolean suits(@Nullable SearchSourceBuilder source) {
    if (source == null
        || source.aggregations() == null
        || !source.aggregations().getPipelineAggregatorFactories().isEmpty()) {
      return false;
    }
    Collection<AggregationBuilder> all = source.aggregations().getAggregatorFactories();
    for (AggregationBuilder one : all) {
      if (!(one instanceof TermsAggregationBuilder terms)
          || terms.showTermDocCountError()
          || AnswerOrder.of(terms.order()) == null
          || !one.getPipelineAggregations().isEmpty()
          || !one.getSubAggregations().stream().allMatch(BucketMetrics::knows)) {
        return false;
      }
    }
    return !all.isEmpty();
  }

  /**
   * Reduces.
   *
   * @param answers of all shards that have one, at least one
   * @return null when they have to be reduced as objects
   */
  public static @Nullable InternalAggregations reduce(List<Window> answers, ReduceContext context) {
    Collection<List<ShardTerms>> all = read(answers);
    if (all == null) {
      return null;
    }
    List<InternalAggregation> reduced = new ArrayList<>();
    for (List<ShardTerms> shards : all) {
      List<ShardTerms> mapped = shards.stream().filter(ShardTerms::mapped).toList();
      InternalAggregation one =
          mapped.isEmpty() ? null : reduceOne(mapped, shards.size() == 1, context);
      if (one == null) {
        return null;
      }
      reduced.add(one);
    }
    return new InternalAggregations(reduced);
  }

  /** By name; null when there is something else among them. */
  private static @Nullable Collection<List<ShardTerms>> read(List<Window> answers) {
    // the same map, filled in the same order, as OpenSearch's: it gives the order of the answer
    Map<String, List<ShardTerms>> byName = new HashMap<>();
    try {
      for (Window answer : answers) {
        FrameInput in = answer.open();
        int count = in.readVInt();
        if (count < 0) {
          return null;
        }
        for (int i = 0; i < count; i++) {
          String type = in.readString();
          if (!TermKeys.knows(type) && !type.equals(UnmappedTerms.NAME)) {
            return null;
          }
          ShardTerms terms = new ShardTerms(type, answer, in);
          byName
              .computeIfAbsent(terms.head().name(), name -> new ArrayList<>(answers.size()))
              .add(terms);
        }
      }
      return byName.values();
    } catch (IOException | RuntimeException others) {
      return null; // what is wrong with them, if anything, is for the other reduction to say
    }
  }

  /**
   * Reduces those of one name.
   *
   * @param shards with the field, at least one
   * @param alone whether no other shard answered
   */
  private static @Nullable InternalAggregation reduceOne(
      List<ShardTerms> shards, boolean alone, ReduceContext context) {
    ShardTerms.Head head = shards.getFirst().head();
    AnswerOrder order = AnswerOrder.of(head.order());
    BucketOrder sorted = sorted(shards);
    if (order == null || sorted == null) {
      return null;
    }
    boolean ascending = InternalOrder.isKeyAsc(sorted);
    MergedTerms merged = new MergedTerms(shards, ascending);
    int[] chosen = order.choose(merged, ascending, head.requiredSize(), head.minDocCount());
    if (chosen == null) {
      return null;
    }
    long others = 0;
    for (ShardTerms shard : shards) {
      others += shard.others();
    }
    for (int key = 0; key < merged.size(); key++) {
      others += merged.count(key) >= head.minDocCount() ? merged.count(key) : 0;
    }
    for (int key : chosen) {
      context.consumeBucketsAndMaybeBreak(1);
      others -= merged.count(key);
    }
    PickedBuckets buckets = pick(shards, merged, chosen);
    return terms(shards, alone, buckets, others);
  }

  /** How the buckets of all shards are sorted; null where they are not by key, or differ. */
  private static @Nullable BucketOrder sorted(List<ShardTerms> shards) {
    ShardTerms.Head head = shards.getFirst().head();
    ShardTerms first = null;
    for (ShardTerms shard : shards) {
      if (!shard.head().equals(head)) {
        return null;
      }
      if (shard.buckets() == 0) {
        continue;
      }
      if (first == null) {
        first = shard;
      }
      if (!shard.sorted().equals(first.sorted()) || !shard.metricsAlike(first)) {
        return null;
      }
    }
    if (first == null) {
      return BucketOrder.key(true);
    }
    return InternalOrder.isKeyOrder(first.sorted()) ? first.sorted() : null;
  }

  private static PickedBuckets pick(List<ShardTerms> shards, MergedTerms merged, int[] chosen) {
    BucketMetrics metrics = null;
    for (ShardTerms shard : shards) {
      metrics = metrics == null ? shard.metrics() : metrics;
    }
    int stride = metrics == null ? 0 : metrics.figures();
    long[] counts = new long[chosen.length];
    long[] figures = new long[Math.multiplyExact(chosen.length, stride)];
    long[] parts = new long[shards.size() * stride];
    for (int i = 0; i < chosen.length; i++) {
      int key = chosen[i];
      int from = merged.parts(key);
      counts[i] = merged.count(key);
      for (int part = 0; part < from; part++) {
        long[] into = from == 1 ? figures : parts;
        int at = from == 1 ? i * stride : part * stride;
        merged.shard(key, part).figures(merged.bucket(key, part), into, at);
      }
      if (from > 1 && metrics != null) {
        metrics.merge(parts, from, figures, i * stride);
      }
    }
    ShardTerms first = shards.getFirst();
    return new PickedBuckets(
        first.keys().picked(merged, chosen),
        first.head().format(),
        counts,
        metrics == null ? List.of() : metrics.placed(),
        figures,
        stride);
  }

  private static InternalAggregation terms(
      List<ShardTerms> shards, boolean alone, PickedBuckets buckets, long others) {
    long error = 0;
    for (ShardTerms shard : shards) {
      long one = shard.possibleCountError();
      error = error < 0 || one < 0 ? -1 : error + one;
    }
    ShardTerms first = shards.getFirst();
    if (error > 0 && alone && first.ownCountError() <= 0) {
      error = 0;
    }
    ShardTerms.Head head = first.head();
    BucketCountThresholds thresholds =
        new CoordinatorBucketCountThresholds(
            head.minDocCount(), -1, head.requiredSize(), first.shardSize());
    return switch (head.type()) {
      case LongTerms.NAME ->
          new LongTerms(
              head.name(),
              head.order(),
              head.order(),
              head.metadata(),
              head.format(),
              first.shardSize(),
              false,
              others,
              cast(buckets),
              error,
              thresholds);
      case DoubleTerms.NAME ->
          new DoubleTerms(
              head.name(),
              head.order(),
              head.order(),
              head.metadata(),
              head.format(),
              first.shardSize(),
              false,
              others,
              cast(buckets),
              error,
              thresholds);
      default ->
          new StringTerms(
              head.name(),
              head.order(),
              head.order(),
              head.metadata(),
              head.format(),
              first.shardSize(),
              false,
              others,
              cast(buckets),
              error,
              thresholds);
    };
  }

  @SuppressWarnings("unchecked") // the keys made buckets of the kind that the type names
  private static <B> List<B> cast(PickedBuckets buckets) {
    return (List<B>) (List<?>) buckets;
  }
}
