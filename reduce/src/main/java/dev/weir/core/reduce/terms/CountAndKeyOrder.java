package dev.weir.core.reduce.terms;

import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.opensearch.search.aggregations.BucketOrder;

/**
 * An order of buckets by document count and key alone.
 *
 * @param countDirection -1 for most documents first, 1 for fewest first, 0 to ignore counts
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

  /** Converts a bucket order; null if it depends on more than counts and keys. */
  static @Nullable CountAndKeyOrder from(BucketOrder order) {
    return KNOWN_ORDERS.get(order);
  }

  /**
   * Selects the keys of a response, best first.
   *
   * @param ascending whether {@code merged} has smaller keys first
   * @param most the largest number of keys
   * @param least the minimum document count of a key
   * @return null if counts are too large for this method
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
