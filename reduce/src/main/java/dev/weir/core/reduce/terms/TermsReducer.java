package dev.weir.core.reduce.terms;

import dev.weir.protocol.FrameStreamInput;
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
 * The final reduction of terms aggregations with plain metrics, from bytes. A shard lists one and a
 * half times the requested number of buckets, and shards list different ones, so most buckets never
 * reach the response. The reducer therefore reads counts and keys first, and then the values of the
 * selected buckets, which become objects only on access. The result equals that of {@code
 * InternalTerms.reduce}.
 */
public final class TermsReducer {
  private TermsReducer() {}

  /**
   * Returns whether this class may reduce the search's aggregations. The shards' results can still
   * rule it out.
   */
  public static boolean canReduce(@Nullable SearchSourceBuilder source) {
    if (source == null
        || source.aggregations() == null
        || !source.aggregations().getPipelineAggregatorFactories().isEmpty()) {
      return false;
    }
    Collection<AggregationBuilder> all = source.aggregations().getAggregatorFactories();
    for (AggregationBuilder one : all) {
      if (!(one instanceof TermsAggregationBuilder terms)
          || terms.showTermDocCountError()
          || CountAndKeyOrder.from(terms.order()) == null
          || !one.getPipelineAggregations().isEmpty()
          || !one.getSubAggregations().stream().allMatch(BucketMetrics::isSupported)) {
        return false;
      }
    }
    return !all.isEmpty();
  }

  /**
   * Reduces the aggregations.
   *
   * @param answers one per shard that has aggregations, at least one
   * @return null if they have to be reduced as objects
   */
  public static @Nullable InternalAggregations reduce(
      List<AggregationBytes> answers, ReduceContext context) {
    Collection<List<ShardTerms>> all = read(answers);
    if (all == null) {
      return null;
    }
    List<InternalAggregation> reduced = new ArrayList<>();
    for (List<ShardTerms> shards : all) {
      List<ShardTerms> mapped = shards.stream().filter(ShardTerms::isMapped).toList();
      InternalAggregation one =
          mapped.isEmpty() ? null : reduceOne(mapped, shards.size() == 1, context);
      if (one == null) {
        return null;
      }
      reduced.add(one);
    }
    return new InternalAggregations(reduced);
  }

  /** Reads the terms by aggregation name; null if there is another kind of aggregation. */
  private static @Nullable Collection<List<ShardTerms>> read(List<AggregationBytes> answers) {
    // fills the same map in the same order as OpenSearch, because the map gives the response its
    // order
    Map<String, List<ShardTerms>> byName = new HashMap<>();
    try {
      for (AggregationBytes answer : answers) {
        FrameStreamInput in = answer.openInput();
        int count = in.readVInt();
        if (count < 0) {
          return null;
        }
        for (int i = 0; i < count; i++) {
          String type = in.readString();
          if (!TermKeys.isSupported(type) && !type.equals(UnmappedTerms.NAME)) {
            return null;
          }
          ShardTerms terms = new ShardTerms(type, answer, in);
          byName
              .computeIfAbsent(terms.header().name(), name -> new ArrayList<>(answers.size()))
              .add(terms);
        }
      }
      return byName.values();
    } catch (IOException | RuntimeException others) {
      return null; // the reduction of objects reports the error, if any
    }
  }

  /**
   * Reduces the aggregations of one name.
   *
   * @param shards the shards that map the field, at least one
   * @param alone whether no other shard answered
   */
  private static @Nullable InternalAggregation reduceOne(
      List<ShardTerms> shards, boolean alone, ReduceContext context) {
    ShardTerms.Header head = shards.getFirst().header();
    CountAndKeyOrder order = CountAndKeyOrder.from(head.order());
    BucketOrder sorted = commonOrder(shards);
    if (order == null || sorted == null) {
      return null;
    }
    boolean ascending = InternalOrder.isKeyAsc(sorted);
    MergedTerms merged = new MergedTerms(shards, ascending);
    int[] chosen = order.selectKeys(merged, ascending, head.requiredSize(), head.minDocCount());
    if (chosen == null || hasKeyTwice(merged, chosen, shards.size())) {
      return null;
    }
    long others = 0;
    for (ShardTerms shard : shards) {
      others += shard.otherDocCount();
    }
    for (int key = 0; key < merged.size(); key++) {
      others += merged.docCount(key) >= head.minDocCount() ? merged.docCount(key) : 0;
    }
    for (int key : chosen) {
      context.consumeBucketsAndMaybeBreak(1);
      others -= merged.docCount(key);
    }
    SelectedBuckets buckets = selectBuckets(shards, merged, chosen);
    return createTerms(shards, alone, buckets, others);
  }

  /** Returns whether a key has more parts than there are shards, which no healthy shard causes. */
  private static boolean hasKeyTwice(MergedTerms merged, int[] chosen, int shards) {
    for (int key : chosen) {
      if (merged.shardCount(key) > shards) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns the key order of all shards' buckets; null if they are not sorted by key, or not all
   * alike.
   */
  private static @Nullable BucketOrder commonOrder(List<ShardTerms> shards) {
    ShardTerms.Header head = shards.getFirst().header();
    ShardTerms first = null;
    for (ShardTerms shard : shards) {
      if (!shard.header().equals(head)) {
        return null;
      }
      if (shard.bucketCount() == 0) {
        continue;
      }
      if (first == null) {
        first = shard;
      }
      if (!shard.bucketOrder().equals(first.bucketOrder()) || !shard.hasSameMetrics(first)) {
        return null;
      }
    }
    if (first == null) {
      return BucketOrder.key(true);
    }
    return InternalOrder.isKeyOrder(first.bucketOrder()) ? first.bucketOrder() : null;
  }

  private static SelectedBuckets selectBuckets(
      List<ShardTerms> shards, MergedTerms merged, int[] chosen) {
    BucketMetrics metrics = null;
    for (ShardTerms shard : shards) {
      metrics = metrics == null ? shard.metrics() : metrics;
    }
    int stride = metrics == null ? 0 : metrics.valueCount();
    long[] counts = new long[chosen.length];
    long[] figures = new long[Math.multiplyExact(chosen.length, stride)];
    long[] parts = new long[shards.size() * stride];
    for (int i = 0; i < chosen.length; i++) {
      int key = chosen[i];
      int from = merged.shardCount(key);
      counts[i] = merged.docCount(key);
      for (int part = 0; part < from; part++) {
        long[] into = from == 1 ? figures : parts;
        int at = from == 1 ? i * stride : part * stride;
        merged.shard(key, part).readMetrics(merged.bucket(key, part), into, at);
      }
      if (from > 1 && metrics != null) {
        metrics.merge(parts, from, figures, i * stride);
      }
    }
    ShardTerms first = shards.getFirst();
    return new SelectedBuckets(
        first.keys().select(merged, chosen),
        first.header().format(),
        counts,
        metrics == null ? List.of() : metrics.slots(),
        figures,
        stride);
  }

  private static InternalAggregation createTerms(
      List<ShardTerms> shards, boolean alone, SelectedBuckets buckets, long others) {
    long error = 0;
    for (ShardTerms shard : shards) {
      long one = shard.maxCountError();
      error = error < 0 || one < 0 ? -1 : error + one;
    }
    ShardTerms first = shards.getFirst();
    if (error > 0 && alone && first.shardCountError() <= 0) {
      error = 0;
    }
    ShardTerms.Header head = first.header();
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
              castBuckets(buckets),
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
              castBuckets(buckets),
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
              castBuckets(buckets),
              error,
              thresholds);
    };
  }

  @SuppressWarnings("unchecked") // the keys made buckets of the kind that the type names
  private static <B> List<B> castBuckets(SelectedBuckets buckets) {
    return (List<B>) (List<?>) buckets;
  }
}
