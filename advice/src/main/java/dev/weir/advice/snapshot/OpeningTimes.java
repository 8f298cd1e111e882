package dev.weir.advice.snapshot;

import dev.weir.client.JsonTree;
import java.util.HashMap;
import java.util.Map;

/** When copies of shards were opened: when their last recoveries ended. For one thread. */
final class OpeningTimes {
  private static final long UNKNOWN = -1;

  private final Map<Copy, Long> openedAtMillis = new HashMap<>();

  /** A copy: a node has one of a shard at most. */
  private record Copy(String index, int shard, String node) {}

  /** Adds a row of {@link ApiSource#RECOVERIES}; a recovery that runs has not ended. */
  void add(JsonTree row) {
    long endedAtMillis = row.child("stop_time_millis").toLong(0);
    if (endedAtMillis > 0) {
      int shard = (int) row.child("shard").toLong(0);
      openedAtMillis.merge(
          new Copy(row.text("index"), shard, row.text("target_node")), endedAtMillis, Long::max);
    }
  }

  /**
   * Returns how long a copy has been open; -1 if that is unknown.
   *
   * @param nowMillis by the wall clock; a copy that was opened later has an unknown age
   */
  long openMillis(ShardFacts copy, long nowMillis) {
    Long opened = openedAtMillis.get(new Copy(copy.index(), copy.shard(), copy.node()));
    return opened == null || opened > nowMillis ? UNKNOWN : nowMillis - opened;
  }
}
