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
 * Estimates terms aggregations and selects the top terms by estimate. A shard returns a bounded
 * list; a term that it omits may have as many documents as the list's last term. This raises the
 * upper bound of the term's count, and its metrics have no bounds. Used by one thread.
 */
final class TermsEstimator {
  private final Map<Integer, InternalTerms<?, ?>> shards = new HashMap<>();
  private final Map<Object, BucketOccurrences> byKey = new HashMap<>();
  private final SampledBuckets bucketSpec;
  private final EstimationContext context;
  private final double[] maxUnlistedCounts;
  private @Nullable InternalTerms<?, ?> prototype;

  /** A term with an estimated count. */
  private record TermCandidate(
      BucketOccurrences occurrences, double weightedCount, InternalTerms.Bucket<?> bucket) {}

  private TermsEstimator(SampledBuckets requested, EstimationContext work) {
    this.bucketSpec = requested;
    this.context = work;
    this.maxUnlistedCounts = new double[work.estimator().sampledShards()];
  }

  /**
   * Estimates a terms aggregation.
   *
   * @param reduced the reduced aggregation of the shards that responded
   * @param shards the shards' aggregations, by index of the shard result
   * @throws IllegalArgumentException if shards have terms of different types
   */
  static InternalAggregation estimate(
      InternalTerms<?, ?> reduced,
      Map<Integer, InternalAggregation> shards,
      SampledBuckets requested,
      EstimationContext work) {
    TermsEstimator lists = new TermsEstimator(requested, work);
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

  /** Returns an upper bound of a term's documents that shards did not report. */
  private double unseenBound(boolean[] present) {
    double unseen = 0;
    for (Map.Entry<Integer, InternalTerms<?, ?>> shard : shards.entrySet()) {
      int place = shard.getKey();
      // a shard's own list may omit documents if several threads of the shard contributed to it
      double here =
          present[place]
              ? Math.max(0, shard.getValue().getDocCountError())
              : maxUnlistedCounts[place];
      unseen += context.estimator().weight(place) * here;
    }
    return unseen;
  }

  /** Returns an upper bound of all terms' unreported documents. */
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
