package dev.weir.core.actions.merge;

import dev.weir.config.policy.BulkPolicy;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/**
 * Selects the shard that small bulks for an index share for as long as they may wait for each
 * other. Stores the most recently written indices. Safe on any thread; its lock is held briefly.
 */
final class MergeShardSelector {
  private static final int MAX_INDICES = 4096;

  private final LongSupplier nanoTime;
  private final Map<String, Choice> choices =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Choice> eldest) {
          return size() > MAX_INDICES;
        }
      };

  /**
   * A selected shard.
   *
   * @param atNanos the time of the selection
   * @param documents how many documents it got since
   */
  private record Choice(int shard, long atNanos, int documents) {}

  MergeShardSelector(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  int choose(
      BulkPolicy.Merge policy, String index, String[][] copies, int documents, IntSupplier fresh) {
    long now = nanoTime.getAsLong();
    synchronized (choices) {
      Choice last = choices.get(index);
      if (last != null
          && now - last.atNanos < policy.maxDelay().toNanos()
          && last.documents + documents <= policy.maxBatchItems()
          && last.shard < copies.length
          && copies[last.shard].length > 0) {
        choices.put(index, new Choice(last.shard, last.atNanos, last.documents + documents));
        return last.shard;
      }
    }
    int chosen = fresh.getAsInt();
    if (chosen >= 0) {
      synchronized (choices) {
        choices.put(index, new Choice(chosen, now, documents));
      }
    }
    return chosen;
  }
}
