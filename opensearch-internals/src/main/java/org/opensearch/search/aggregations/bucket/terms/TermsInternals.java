package org.opensearch.search.aggregations.bucket.terms;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.opensearch.search.aggregations.InternalAggregations;
import org.opensearch.search.aggregations.InternalOrder;

/** Gives access to the package-private parts of terms aggregations. */
@NullMarked
public final class TermsInternals {
  private TermsInternals() {}

  /**
   * The parts of a bucket to create.
   *
   * @param prototype a bucket of the same term
   * @param countError by how much its count may be too low
   */
  public record BucketSpec(
      InternalTerms.Bucket<?> prototype,
      long docCount,
      long countError,
      InternalAggregations aggregations) {}

  /**
   * Returns how many documents a term that a shard does not list may have at most: as many as the
   * shard's last listed term, plus the error of the shard's own slices. A node reports only the
   * latter if it has slices, although it truncated the merged list of the slices once more.
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

  /**
   * Returns whether two shards' terms have the same type, so that their keys and buckets can be
   * merged.
   */
  public static boolean isSameKind(InternalTerms<?, ?> one, InternalTerms<?, ?> other) {
    return one.getClass().equals(other.getClass())
        && one instanceof InternalMappedTerms<?, ?> mapped
        && other instanceof InternalMappedTerms<?, ?> too
        && mapped.format.equals(too.format);
  }

  /** Creates a bucket of the same type. */
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
   * Creates terms of the same type.
   *
   * @param buckets created for the same type
   * @param others the number of documents in no bucket
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
