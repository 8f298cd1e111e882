package dev.weir.gateway.reduce.terms;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.opensearch.search.aggregations.BucketOrder;

/** The orders of buckets that need nothing but counts and keys. */
enum AnswerOrder {
  KEY_UP(BucketOrder.key(true), 0, true),
  KEY_DOWN(BucketOrder.key(false), 0, false),
  MOST_KEY_UP(BucketOrder.compound(BucketOrder.count(false), BucketOrder.key(true)), -1, true),
  MOST_KEY_DOWN(BucketOrder.compound(BucketOrder.count(false), BucketOrder.key(false)), -1, false),
  LEAST_KEY_UP(BucketOrder.compound(BucketOrder.count(true), BucketOrder.key(true)), 1, true),
  LEAST_KEY_DOWN(BucketOrder.compound(BucketOrder.count(true), BucketOrder.key(false)), 1, false);

  private final BucketOrder order;
  private final int byCount;
  private final boolean keysUp;

  /**
   * One of them.
   *
   * @param byCount negative where more documents come first, positive for fewer, 0 for neither
   * @param keysUp whether smaller keys come first
   */
  AnswerOrder(BucketOrder order, int byCount, boolean keysUp) {
    this.order = order;
    this.byCount = byCount;
    this.keysUp = keysUp;
  }

  /** The same order; null for one that needs more. */
  static @Nullable AnswerOrder of(BucketOrder order) {
    for (AnswerOrder known : values()) {
      if (known.order.equals(order)) {
        return known;
      }
    }
    return null;
  }

  /**
   * The keys of an answer, best first.
   *
   * @param ascending whether {@code merged} has smaller keys first
   * @param most how many there may be
   * @param least so many documents a key must have
   * @return null when counts are too large to be sorted so
   */
  int @Nullable [] choose(MergedTerms merged, boolean ascending, int most, long least) {
    int bits = Integer.SIZE - Integer.numberOfLeadingZeros(merged.size());
    long largest = Long.MAX_VALUE >>> bits;
    long[] ranks = new long[merged.size()];
    int found = 0;
    for (int key = 0; key < ranks.length; key++) {
      long count = merged.count(key);
      if (count < least) {
        continue;
      }
      if (count > largest) {
        return null;
      }
      long first = byCount == 0 ? 0 : byCount > 0 ? count : largest - count;
      long second = keysUp == ascending ? key : ranks.length - 1 - key;
      ranks[found++] = first << bits | second;
    }
    Arrays.sort(ranks, 0, found);
    int[] chosen = new int[Math.min(most, found)];
    for (int i = 0; i < chosen.length; i++) {
      int second = (int) (ranks[i] & ((1L << bits) - 1));
      chosen[i] = keysUp == ascending ? second : ranks.length - 1 - second;
    }
    return chosen;
  }
}
