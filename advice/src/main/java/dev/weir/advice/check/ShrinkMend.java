package dev.weir.advice.check;

import dev.weir.advice.finding.Mend;
import dev.weir.advice.finding.MendStep;
import dev.weir.advice.snapshot.IndexFacts;

/** The calls that replace an index by one with fewer shards and the same documents. */
public final class ShrinkMend {
  /** The size that a shard should have: large enough to be few, small enough to be moved. */
  static final long GOOD_SHARD_BYTES = 25L << 30;

  private ShrinkMend() {}

  /** Returns how many primaries an index needs: a divisor of those that it has. */
  static int targetShards(IndexFacts index) {
    long needed = Math.max(1, Math.ceilDiv(index.size().bytes(), GOOD_SHARD_BYTES));
    int shards = index.size().shards();
    for (int target = (int) Math.min(needed, shards); target < shards; target++) {
      if (shards % target == 0) {
        return target;
      }
    }
    return shards;
  }

  /**
   * Returns the calls.
   *
   * @param node where a copy of each shard is brought together first
   */
  public static Mend of(IndexFacts index, String node, int shards) {
    String name = index.name();
    String shrunk = name + "-shrunk";
    return Mend.of(
            "Stop writing to "
                + name
                + " first, and check the documents of "
                + shrunk
                + " before you delete "
                + name
                + ". An index that data streams or aliases write to is rolled over instead.")
        .indexSettings(
            name,
            "{\"index.blocks.write\": true, \"index.routing.allocation.require._name\": \""
                + node
                + "\"}")
        .call(
            "GET",
            "/_cluster/health/"
                + name
                + "?wait_for_events=languid&wait_for_no_relocating_shards=true&timeout=10m",
            "")
        .with(shrink(index, shrunk, shards))
        .call("DELETE", "/" + name, "")
        .call(
            "POST",
            "/_aliases",
            "{\"actions\": [{\"add\": {\"index\": \""
                + shrunk
                + "\", \"alias\": \""
                + name
                + "\"}}]}");
  }

  /** Nodes move few shards at a time, and pause between them, so the call may come too early. */
  private static MendStep shrink(IndexFacts index, String shrunk, int shards) {
    return new MendStep.Call(
        "POST",
        "/" + index.name() + "/_shrink/" + shrunk + "?wait_for_active_shards=1",
        "{\"settings\": {\"index.number_of_shards\": "
            + shards
            + ", \"index.number_of_replicas\": "
            + index.size().replicas()
            + ", \"index.blocks.write\": null, \"index.routing.allocation.require._name\": null}}",
        true);
  }
}
