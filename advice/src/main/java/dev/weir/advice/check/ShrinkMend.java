package dev.weir.advice.check;

import dev.weir.advice.finding.Mend;
import dev.weir.advice.finding.MendStep;
import dev.weir.advice.snapshot.ClusterSnapshot;
import dev.weir.advice.snapshot.IndexFacts;
import dev.weir.advice.snapshot.NodeFacts;
import dev.weir.advice.snapshot.ShardFacts;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** The calls that replace an index by one with fewer shards and the same documents. */
public final class ShrinkMend {
  /** The size that a shard should have: large enough to be few, small enough to be moved. */
  static final long GOOD_SHARD_BYTES = 25L << 30;

  private ShrinkMend() {}

  /**
   * Returns whether an index can have fewer primaries, and is no backing index of a data stream,
   * which an alias can't replace.
   */
  public static boolean isFor(IndexFacts index) {
    return !index.isSystem()
        && !index.isBackingIndex()
        && targetShards(index) < index.size().shards();
  }

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
   * Returns the calls, if a node has room for a copy of each shard: of those that have, the one
   * with the most copies already.
   */
  public static Optional<Mend> of(IndexFacts index, ClusterSnapshot snapshot) {
    Map<String, Long> copies =
        snapshot.shardsOfIndex(index.name()).stream()
            .filter(ShardFacts::assigned)
            .collect(Collectors.groupingBy(ShardFacts::node, Collectors.counting()));
    return snapshot.dataNodes().stream()
        .filter(node -> node.disk().availableBytes() > index.size().bytes())
        .map(NodeFacts::name)
        .max(Comparator.comparingLong(node -> copies.getOrDefault(node, 0L)))
        .map(node -> of(index, node));
  }

  /**
   * Returns the calls. They delete nothing; the note says how the shrunk index takes the name.
   *
   * @param node where a copy of each shard is brought together first
   */
  private static Mend of(IndexFacts index, String node) {
    String name = index.name();
    String shrunk = name + "-shrunk";
    String note =
        "Stop writing to "
            + name
            + " first: these calls reject all writes. When "
            + shrunk
            + " is green and both counts are equal, swap them in one call: POST /_aliases with "
            + swap(name, shrunk)
            + ", which deletes "
            + name
            + "; add an action for each other alias. To go back before that, set both settings,"
            + " index.blocks.write and index.routing.allocation.require._name, to null."
            + (index.isReadOnly() ? readOnlyNote(name, shrunk) : "");
    return ReadOnlyBlock.liftFirst(Mend.of(note), index)
        .indexSettings(
            name,
            "{\"index.blocks.write\": true, \"index.routing.allocation.require._name\": \""
                + node
                + "\"}")
        .call(
            "GET",
            "/_cluster/health/"
                + Mend.encode(name)
                + "?wait_for_events=languid&wait_for_no_relocating_shards=true&timeout=10m",
            "")
        .with(shrink(index, shrunk, targetShards(index)))
        .call(
            "GET",
            "/_cat/indices/"
                + Mend.encode(name)
                + ","
                + Mend.encode(shrunk)
                + "?v&h=index,health,docs.count",
            "");
  }

  /** The block stays lifted: it would refuse the call that swaps the indices. */
  private static String readOnlyNote(String name, String shrunk) {
    return " The first call lifts index.blocks.read_only, which refuses the others. At the end, set"
        + " it to true for "
        + shrunk
        + ", or for "
        + name
        + " if you go back.";
  }

  private static String swap(String name, String shrunk) {
    return ("{\"actions\": [{\"remove_index\": {\"index\": \"%s\"}},"
            + " {\"add\": {\"index\": \"%s\", \"alias\": \"%s\"}}]}")
        .formatted(name, shrunk, name);
  }

  /** Nodes move few shards at a time, and pause between them, so the call may come too early. */
  private static MendStep shrink(IndexFacts index, String shrunk, int shards) {
    return new MendStep.Call(
        "POST",
        "/"
            + Mend.encode(index.name())
            + "/_shrink/"
            + Mend.encode(shrunk)
            + "?wait_for_active_shards=1",
        "{\"settings\": {\"index.number_of_shards\": "
            + shards
            + ", \"index.number_of_replicas\": "
            + index.size().replicas()
            + ", \"index.blocks.write\": null, \"index.routing.allocation.require._name\": null}}",
        true);
  }
}
