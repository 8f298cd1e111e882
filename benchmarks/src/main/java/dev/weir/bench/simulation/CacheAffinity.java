package dev.weir.bench.simulation;

import dev.weir.model.ShardCopy;

/**
 * Where a request finds its answer in a node's caches: the copy that a key always leads to, as long
 * as that copy is there (rendezvous hashing, Thaler and Ravishankar 1998). When a node leaves, only
 * the keys that led to it move.
 */
final class CacheAffinity {
  private CacheAffinity() {}

  /**
   * The home of a key among the first {@code count} copies, in whichever order they are; -1 when
   * there is none.
   *
   * @param key a hash of what the caches are keyed by
   */
  static int preferredCopy(ShardCopy[] copies, int count, long key) {
    int home = -1;
    long highest = 0;
    for (int i = 0; i < count; i++) {
      if (!copies[i].initializing()) {
        long weight = mix(key * 0x9E3779B97F4A7C15L ^ mix(copies[i].nodeId().hashCode()));
        if (home < 0 || weight > highest) {
          home = i;
          highest = weight;
        }
      }
    }
    return home;
  }

  /** Moves the home to the front of copies in order, if its score is not much worse. */
  static void prefer(ShardCopy[] ordered, int home, double score, double best, double mostTimes) {
    if (home > 0 && score <= best * mostTimes) {
      ShardCopy copy = ordered[home];
      System.arraycopy(ordered, 0, ordered, 1, home);
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
