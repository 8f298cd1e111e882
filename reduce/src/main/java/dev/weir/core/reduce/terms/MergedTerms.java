package dev.weir.core.reduce.terms;

import java.util.Arrays;
import java.util.List;
import org.apache.lucene.util.PriorityQueue;

/**
 * The buckets of all shards as numbers, merged by key. Their order is that in which {@code
 * InternalTerms} merges shards, so that sums add their parts in the same order.
 */
final class MergedTerms {
  private final List<ShardTerms> shards;
  private final int[] shardOf;
  private final int[] bucketOf;
  private final int[] offsets;
  private final long[] counts;
  private final int size;

  /** The merge position within one shard's buckets. */
  private static final class ShardCursor {
    private final ShardTerms terms;
    private final int shard;
    private int bucket;

    ShardCursor(ShardTerms terms, int shard) {
      this.terms = terms;
      this.shard = shard;
    }

    int compareKey(ShardCursor other) {
      return terms.compareKeys(bucket, other.terms, other.bucket);
    }
  }

  /**
   * Merges the shards' buckets.
   *
   * @param ascending whether the shards' buckets have ascending keys; descending otherwise
   */
  MergedTerms(List<ShardTerms> shards, boolean ascending) {
    this.shards = shards;
    int all = 0;
    for (ShardTerms shard : shards) {
      all = Math.addExact(all, shard.bucketCount());
    }
    this.shardOf = new int[all];
    this.bucketOf = new int[all];
    int[] starts = new int[all + 1];
    this.counts = new long[all];
    PriorityQueue<ShardCursor> queue =
        new PriorityQueue<>(shards.size()) {
          @Override
          protected boolean lessThan(ShardCursor one, ShardCursor other) {
            int compared = one.compareKey(other);
            return ascending ? compared < 0 : compared > 0;
          }
        };
    for (int shard = 0; shard < shards.size(); shard++) {
      if (shards.get(shard).bucketCount() > 0) {
        queue.add(new ShardCursor(shards.get(shard), shard));
      }
    }
    int groups = 0;
    for (int at = 0; at < all; at++) {
      ShardCursor top = queue.top();
      shardOf[at] = top.shard;
      bucketOf[at] = top.bucket;
      if (at == 0 || !sameKey(at - 1, at)) {
        starts[groups++] = at;
      }
      counts[groups - 1] += top.terms.docCount(top.bucket);
      if (++top.bucket < top.terms.bucketCount()) {
        queue.updateTop();
      } else {
        queue.pop();
      }
    }
    starts[groups] = all;
    this.offsets = groups == all ? starts : Arrays.copyOf(starts, groups + 1);
    this.size = groups;
  }

  private boolean sameKey(int one, int other) {
    return shards
            .get(shardOf[one])
            .compareKeys(bucketOf[one], shards.get(shardOf[other]), bucketOf[other])
        == 0;
  }

  /** Returns the number of keys. */
  int size() {
    return size;
  }

  /** Returns the number of documents of a key. */
  long docCount(int key) {
    return counts[key];
  }

  /** Returns how many shards have a key. */
  int shardCount(int key) {
    return offsets[key + 1] - offsets[key];
  }

  ShardTerms shard(int key, int part) {
    return shards.get(shardOf[offsets[key] + part]);
  }

  /** Returns the bucket index of a key's part within the part's shard. */
  int bucket(int key, int part) {
    return bucketOf[offsets[key] + part];
  }
}
