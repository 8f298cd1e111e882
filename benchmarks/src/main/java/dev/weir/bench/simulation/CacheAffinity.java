package dev.weir.bench.simulation;

import dev.weir.model.ShardCopy;

/**
 * Chooses the copy whose node caches a request: each key always leads to the same copy while that
 * copy exists (rendezvous hashing, Thaler and Ravishankar 1998). When a node leaves, only its keys
 * move.
 */
final class CacheAffinity {
  private CacheAffinity() {}

  /**
   * Returns the preferred copy of a key among the first {@code count} copies, independent of their
   * order; -1 if there is none.
   *
   * @param key a hash of the cache key
   */
  static int preferredCopy(ShardCopy[] copies, int count, long key) {
    int preferred = -1;
    long highest = 0;
    for (int i = 0; i < count; i++) {
      if (!copies[i].initializing()) {
        long weight = mix(key * 0x9E3779B97F4A7C15L ^ mix(copies[i].nodeId().hashCode()));
        if (preferred < 0 || weight > highest) {
          preferred = i;
          highest = weight;
        }
      }
    }
    return preferred;
  }

  /**
   * Moves the preferred copy to the front if its score is at most {@code mostTimes} the best one.
   */
  static void prefer(
      ShardCopy[] ordered, int preferred, double score, double best, double mostTimes) {
    if (preferred > 0 && score <= best * mostTimes) {
      ShardCopy copy = ordered[preferred];
      System.arraycopy(ordered, 0, ordered, 1, preferred);
      ordered[0] = copy;
    }
  }

  /** The finalizer of SplitMix64. */
  private static long mix(long x) {
    long z = (x ^ (x >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }
}
