package dev.weir.core.actions.contexts;

import org.opensearch.cluster.metadata.Metadata;

/** How many search contexts the id of a scroll or of a point in time may name. Stateless. */
final class ContextLimit {
  /** Leaves room for ids of indices that have been deleted since. */
  private static final int MIN_CONTEXTS = 1000;

  private ContextLimit() {}

  /** Returns the limit: an id has one context for each shard that it was made for. */
  static long of(Metadata metadata) {
    return Math.max(MIN_CONTEXTS, 2L * metadata.getTotalNumberOfShards());
  }

  /**
   * Checks one id.
   *
   * @param name of what has the id
   * @throws IllegalArgumentException if it names more contexts
   */
  static void check(String name, int contexts, long limit) {
    if (contexts > limit) {
      throw new IllegalArgumentException(
          "Cannot parse "
              + name
              + " id: got "
              + contexts
              + " search contexts (expected: at most "
              + limit
              + ")");
    }
  }
}
