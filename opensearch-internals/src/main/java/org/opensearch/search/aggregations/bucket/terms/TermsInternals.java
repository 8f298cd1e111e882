package org.opensearch.search.aggregations.bucket.terms;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.opensearch.search.aggregations.InternalAggregations;
import org.opensearch.search.aggregations.InternalOrder;

/** A way to those parts of terms aggregations that only their own package sees. */
@NullMarked
public final class TermsInternals {
  private TermsInternals() {}

  /**
   * A bucket to be made.
   *
   * @param prototype one of the same term
   * @param countError by how much its count may be too low
   */
  public record BucketSpec(
      InternalTerms.Bucket<?> prototype,
      long docCount,
      long countError,
      InternalAggregations aggregations) {}

  /**
   * How many documents, at most, a term may have that a shard does not list: as many as the last
   * that it does, and what its slices may not have told of it. A node says only the latter where
   * there is any, but what the slices listed was cut once more when it was put together.
   */
  public static long maxUnlistedDocCount(InternalTerms<?, ?> shard) {
    int listed = shard.getBuckets().size();
    if (listed == 0 || listed < shard.getShardSize() || InternalOrder.isKeyOrder(shard.order)) {
      return 0;
    }
    long least = Long.MAX_VALUE;
    for (InternalTerms.AbstractInternalBucket bucket : shard.getBuckets()) {
      least = Math.min(least, bucket.getDocCount());
    }
    return least + Math.max(0, shard.getDocCountError());
  }

  /** Whether two shards' terms are of one kind, so that their keys and buckets go together. */
  public static boolean isSameKind(InternalTerms<?, ?> one, InternalTerms<?, ?> other) {
    return one.getClass().equals(other.getClass())
        && one instanceof InternalMappedTerms<?, ?> mapped
        && other instanceof InternalMappedTerms<?, ?> too
        && mapped.format.equals(too.format);
  }

  /** Makes a bucket of a kind. */
  public static InternalTerms.Bucket<?> createBucket(InternalTerms<?, ?> like, BucketSpec made) {
    return newBucket(like, made);
  }

  @SuppressWarnings("unchecked") // buckets are of the kind that their terms are
  private static <A extends InternalTerms<A, B>, B extends InternalTerms.AbstractInternalBucket>
      InternalTerms.Bucket<?> newBucket(InternalTerms<?, ?> like, BucketSpec made) {
    return (InternalTerms.Bucket<?>)
        ((InternalTerms<A, B>) like)
            .createBucket(
                made.docCount, made.aggregations, made.countError, (B) (Object) made.prototype);
  }

  /**
   * Makes terms of a kind.
   *
   * @param buckets that were made of the same kind
   * @param others how many documents are in no bucket
   */
  public static InternalTerms<?, ?> createTerms(
      InternalTerms<?, ?> like,
      List<InternalTerms.Bucket<?>> buckets,
      long countError,
      long others) {
    return newTerms(like, buckets, countError, others);
  }

  @SuppressWarnings("unchecked") // as above
  private static <A extends InternalTerms<A, B>, B extends InternalTerms.AbstractInternalBucket>
      InternalTerms<?, ?> newTerms(
          InternalTerms<?, ?> like,
          List<InternalTerms.Bucket<?>> buckets,
          long countError,
          long others) {
    List<B> own = new ArrayList<>(buckets.size());
    for (InternalTerms.Bucket<?> bucket : buckets) {
      own.add((B) (Object) bucket);
    }
    InternalTerms<A, B> terms = (InternalTerms<A, B>) like;
    return terms.create(terms.getName(), own, terms.order, countError, others);
  }
}
