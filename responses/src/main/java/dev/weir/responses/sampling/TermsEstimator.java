package dev.weir.responses.sampling;

import dev.weir.responses.sampling.SampledRequestRewrite.SampledBuckets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.opensearch.search.aggregations.InternalAggregation;
import org.opensearch.search.aggregations.InternalAggregations;
import org.opensearch.search.aggregations.bucket.MultiBucketsAggregation.Bucket;
import org.opensearch.search.aggregations.bucket.terms.InternalTerms;
import org.opensearch.search.aggregations.bucket.terms.TermsInternals;
import org.opensearch.search.aggregations.bucket.terms.TermsInternals.BucketSpec;
import org.opensearch.search.aggregations.bucket.terms.UnmappedTerms;

/**
 * Estimates terms: which are the most is by estimate. A shard lists no more than so many; one that
 * it does not list may have as many documents as the last that it does, by which the upper bound of
 * its count is more, and its metrics have no bounds. Used by one thread.
 */
final class TermsEstimator {
  private final Map<Integer, InternalTerms<?, ?>> shards = new HashMap<>();
  private final Map<Object, BucketOccurrences> byKey = new HashMap<>();
  private final SampledBuckets bucketSpec;
  private final EstimationContext context;
  private final double[] maxUnlistedCounts;
  private @Nullable InternalTerms<?, ?> prototype;

  /** A term whose count was estimated. */
  private record TermCandidate(
      BucketOccurrences occurrences, double weightedCount, InternalTerms.Bucket<?> bucket) {}

  private TermsEstimator(SampledBuckets asked, EstimationContext work) {
    this.bucketSpec = asked;
    this.context = work;
    this.maxUnlistedCounts = new double[work.estimator().sampledShards()];
  }

  /**
   * The estimate of a terms aggregation.
   *
   * @param reduced of the shards that answered
   * @param shards theirs, by place
   * @throws IllegalArgumentException where shards have terms of different types
   */
  static InternalAggregation estimate(
      InternalTerms<?, ?> reduced,
      Map<Integer, InternalAggregation> shards,
      SampledBuckets asked,
      EstimationContext work) {
    TermsEstimator lists = new TermsEstimator(asked, work);
    shards.forEach((place, terms) -> lists.add(place, (InternalTerms<?, ?>) terms));
    InternalTerms<?, ?> like = lists.prototype;
    return like == null ? reduced : lists.build(like);
  }

  private void add(int place, InternalTerms<?, ?> terms) {
    if (terms instanceof UnmappedTerms) {
      return;
    }
    InternalTerms<?, ?> other = prototype;
    if (other == null) {
      prototype = terms;
    } else if (!TermsInternals.isSameKind(other, terms)) {
      throw new IllegalArgumentException(
          "got a field of different types for the aggregation ["
              + terms.getName()
              + "] (expected: one type in all indices of a sample)");
    }
    shards.put(place, terms);
    maxUnlistedCounts[place] = TermsInternals.maxUnlistedDocCount(terms);
    context.reserveBuckets(terms.getBuckets().size());
    for (Bucket bucket : terms.getBuckets()) {
      byKey.computeIfAbsent(bucket.getKey(), key -> new BucketOccurrences()).add(place, bucket);
    }
  }

  private InternalAggregation build(InternalTerms<?, ?> kind) {
    List<TermCandidate> best = selectTop(kind);
    double others = unseenEverywhereBound();
    List<InternalTerms.Bucket<?>> buckets = new ArrayList<>(best.size());
    for (TermCandidate candidate : best) {
      others -= candidate.weightedCount;
      buckets.add(createBucket(kind, candidate));
    }
    double error = 0;
    for (int place = 0; place < maxUnlistedCounts.length; place++) {
      error += context.estimator().weight(place) * maxUnlistedCounts[place];
    }
    return TermsInternals.createTerms(
        kind, buckets, (long) Math.ceil(error), Math.max(0, Math.round(others)));
  }

  private List<TermCandidate> selectTop(InternalTerms<?, ?> kind) {
    List<TermCandidate> candidates = new ArrayList<>(byKey.size());
    for (BucketOccurrences found : byKey.values()) {
      double weighed = found.weightedCount(context.estimator());
      long count = Math.round(weighed);
      if (count >= bucketSpec.minDocCount()) {
        BucketSpec made =
            new BucketSpec(
                (InternalTerms.Bucket<?>) found.first(), count, 0, InternalAggregations.EMPTY);
        candidates.add(new TermCandidate(found, weighed, TermsInternals.createBucket(kind, made)));
      }
    }
    Comparator<Bucket> order = bucketSpec.order().comparator();
    candidates.sort((one, other) -> order.compare(one.bucket, other.bucket));
    return candidates.subList(0, Math.min(bucketSpec.size(), candidates.size()));
  }

  private InternalTerms.Bucket<?> createBucket(InternalTerms<?, ?> kind, TermCandidate candidate) {
    BucketOccurrences found = candidate.occurrences;
    double unseen = unseenBound(found.presence(maxUnlistedCounts.length));
    Estimate count = found.estimateCount(context.estimator());
    if (unseen > 0) {
      count = count.withUpperIncreasedBy(unseen);
    }
    return TermsInternals.createBucket(
        kind,
        new BucketSpec(
            (InternalTerms.Bucket<?>) found.first(),
            count.roundedValue(),
            (long) Math.ceil(unseen),
            found.estimateAggregations(count, context.estimator(), unseen == 0)));
  }

  /** How many documents of a term may not have been told. */
  private double unseenBound(boolean[] present) {
    double unseen = 0;
    for (Map.Entry<Integer, InternalTerms<?, ?>> shard : shards.entrySet()) {
      int place = shard.getKey();
      // what a shard lists is short where it has put lists of several threads together
      double here =
          present[place]
              ? Math.max(0, shard.getValue().getDocCountError())
              : maxUnlistedCounts[place];
      unseen += context.estimator().weight(place) * here;
    }
    return unseen;
  }

  /** How many documents all terms have together. */
  private double unseenEverywhereBound() {
    double all = 0;
    for (Map.Entry<Integer, InternalTerms<?, ?>> shard : shards.entrySet()) {
      double weight = context.estimator().weight(shard.getKey());
      all += weight * shard.getValue().getSumOfOtherDocCounts();
      for (Bucket bucket : shard.getValue().getBuckets()) {
        all += weight * bucket.getDocCount();
      }
    }
    return all;
  }
}
