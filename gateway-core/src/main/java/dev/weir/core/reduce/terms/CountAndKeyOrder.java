package dev.weir.core.reduce.terms;

import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.opensearch.search.aggregations.BucketOrder;

/**
 * An order of buckets that needs nothing but counts and keys.
 *
 * @param countDirection negative where more documents come first, positive for fewer, 0 for neither
 * @param isKeyAscending whether smaller keys come first
 */
record CountAndKeyOrder(int countDirection, boolean isKeyAscending) {
  private static final Map<BucketOrder, CountAndKeyOrder> KNOWN_ORDERS =
      Map.of(
          BucketOrder.key(true), new CountAndKeyOrder(0, true),
          BucketOrder.key(false), new CountAndKeyOrder(0, false),
          countDirection(false, true), new CountAndKeyOrder(-1, true),
          countDirection(false, false), new CountAndKeyOrder(-1, false),
          countDirection(true, true), new CountAndKeyOrder(1, true),
          countDirection(true, false), new CountAndKeyOrder(1, false));

  private static BucketOrder countDirection(boolean ascending, boolean keysUp) {
    return BucketOrder.compound(BucketOrder.count(ascending), BucketOrder.key(keysUp));
  }

  /** The same order; null for one that needs more. */
  static @Nullable CountAndKeyOrder from(BucketOrder order) {
    return KNOWN_ORDERS.get(order);
  }

  /**
   * The keys of an answer, best first.
   *
   * @param ascending whether {@code merged} has smaller keys first
   * @param most how many there may be
   * @param least so many documents a key must have
   * @return null when counts are too large to be sorted so
   */
  int @Nullable [] selectKeys(MergedTerms merged, boolean ascending, int most, long least) {
    int bits = Integer.SIZE - Integer.numberOfLeadingZeros(merged.size());
    long largest = Long.MAX_VALUE >>> bits;
    long[] ranks = new long[merged.size()];
    int found = 0;
    for (int key = 0; key < ranks.length; key++) {
      long count = merged.docCount(key);
      if (count < least) {
        continue;
      }
      if (count > largest) {
        return null;
      }
      long first = countDirection == 0 ? 0 : countDirection > 0 ? count : largest - count;
      long second = isKeyAscending == ascending ? key : ranks.length - 1 - key;
      ranks[found++] = first << bits | second;
    }
    Arrays.sort(ranks, 0, found);
    int[] chosen = new int[Math.min(most, found)];
    for (int i = 0; i < chosen.length; i++) {
      int second = (int) (ranks[i] & ((1L << bits) - 1));
      chosen[i] = isKeyAscending == ascending ? second : ranks.length - 1 - second;
    }
    return chosen;
  }
}
