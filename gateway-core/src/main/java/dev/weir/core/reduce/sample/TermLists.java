package dev.weir.core.reduce.sample;

import dev.weir.core.reduce.sample.SampledRequest.Buckets;
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
import org.opensearch.search.aggregations.bucket.terms.TermsParts;
import org.opensearch.search.aggregations.bucket.terms.TermsParts.Made;
import org.opensearch.search.aggregations.bucket.terms.UnmappedTerms;

/**
 * Estimates terms: which are the most is by estimate. A shard lists no more than so many; one that
 * it does not list may have as many documents as the last that it does, by which the upper bound of
 * its count is more, and its metrics have no bounds. Used by one thread.
 */
final class TermLists {
  private final Map<Integer, InternalTerms<?, ?>> shards = new HashMap<>();
  private final Map<Object, Occurrences> byKey = new HashMap<>();
  private final Buckets asked;
  private final Work work;
  private final double[] unlisted;
  private @Nullable InternalTerms<?, ?> like;

  /** A term whose count was estimated. */
  private record Candidate(Occurrences found, double weighed, InternalTerms.Bucket<?> bucket) {}

  private TermLists(Buckets asked, Work work) {
    this.asked = asked;
    this.work = work;
    this.unlisted = new double[work.estimator().answered()];
  }

  /**
   * The estimate of a terms aggregation.
   *
   * @param reduced of the shards that answered
   * @param shards theirs, by place
   * @throws IllegalArgumentException where shards have terms of different types
   */
  static InternalAggregation of(
      InternalTerms<?, ?> reduced,
      Map<Integer, InternalAggregation> shards,
      Buckets asked,
      Work work) {
    TermLists lists = new TermLists(asked, work);
    shards.forEach((place, terms) -> lists.add(place, (InternalTerms<?, ?>) terms));
    InternalTerms<?, ?> like = lists.like;
    return like == null ? reduced : lists.estimate(like);
  }

  private void add(int place, InternalTerms<?, ?> terms) {
    if (terms instanceof UnmappedTerms) {
      return;
    }
    InternalTerms<?, ?> other = like;
    if (other == null) {
      like = terms;
    } else if (!TermsParts.alike(other, terms)) {
      throw new IllegalArgumentException(
          "got a field of different types for the aggregation ["
              + terms.getName()
              + "] (expected: one type in all indices of a sample)");
    }
    shards.put(place, terms);
    unlisted[place] = TermsParts.unlisted(terms);
    work.payFor(terms.getBuckets().size());
    for (Bucket bucket : terms.getBuckets()) {
      byKey.computeIfAbsent(bucket.getKey(), key -> new Occurrences()).add(place, bucket);
    }
  }

  private InternalAggregation estimate(InternalTerms<?, ?> kind) {
    List<Candidate> best = best(kind);
    double others = everywhere();
    List<InternalTerms.Bucket<?>> buckets = new ArrayList<>(best.size());
    for (Candidate candidate : best) {
      others -= candidate.weighed;
      buckets.add(bucket(kind, candidate));
    }
    double error = 0;
    for (int place = 0; place < unlisted.length; place++) {
      error += work.estimator().weight(place) * unlisted[place];
    }
    return TermsParts.terms(
        kind, buckets, (long) Math.ceil(error), Math.max(0, Math.round(others)));
  }

  private List<Candidate> best(InternalTerms<?, ?> kind) {
    List<Candidate> candidates = new ArrayList<>(byKey.size());
    for (Occurrences found : byKey.values()) {
      double weighed = found.weighed(work.estimator());
      long count = Math.round(weighed);
      if (count >= asked.leastCount()) {
        Made made =
            new Made((InternalTerms.Bucket<?>) found.first(), count, 0, InternalAggregations.EMPTY);
        candidates.add(new Candidate(found, weighed, TermsParts.bucket(kind, made)));
      }
    }
    Comparator<Bucket> order = asked.order().comparator();
    candidates.sort((one, other) -> order.compare(one.bucket, other.bucket));
    return candidates.subList(0, Math.min(asked.size(), candidates.size()));
  }

  private InternalTerms.Bucket<?> bucket(InternalTerms<?, ?> kind, Candidate candidate) {
    Occurrences found = candidate.found;
    double unseen = unseen(found.present(unlisted.length));
    Estimate count = found.count(work.estimator());
    if (unseen > 0) {
      count = count.plus(unseen);
    }
    return TermsParts.bucket(
        kind,
        new Made(
            (InternalTerms.Bucket<?>) found.first(),
            count.rounded(),
            (long) Math.ceil(unseen),
            found.within(count, work.estimator(), unseen == 0)));
  }

  /** How many documents of a term may not have been told. */
  private double unseen(boolean[] present) {
    double unseen = 0;
    for (Map.Entry<Integer, InternalTerms<?, ?>> shard : shards.entrySet()) {
      int place = shard.getKey();
      // what a shard lists is short where it has put lists of several threads together
      double here =
          present[place] ? Math.max(0, shard.getValue().getDocCountError()) : unlisted[place];
      unseen += work.estimator().weight(place) * here;
    }
    return unseen;
  }

  /** How many documents all terms have together. */
  private double everywhere() {
    double all = 0;
    for (Map.Entry<Integer, InternalTerms<?, ?>> shard : shards.entrySet()) {
      double weight = work.estimator().weight(shard.getKey());
      all += weight * shard.getValue().getSumOfOtherDocCounts();
      for (Bucket bucket : shard.getValue().getBuckets()) {
        all += weight * bucket.getDocCount();
      }
    }
    return all;
  }
}
