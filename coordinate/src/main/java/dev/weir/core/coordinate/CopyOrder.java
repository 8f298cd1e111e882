package dev.weir.core.coordinate;

import dev.weir.core.plan.SearchPlan.PlannedShard;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The nodes on which the copies of each shard of a round are tried, in order, and how far the round
 * is. Confined to the request's event loop.
 */
final class CopyOrder {
  private final List<PlannedShard> shards;
  private final Map<Integer, List<String>> reorderedNodeIds = new HashMap<>();

  /** The place of each shard's newest copy in its order. */
  private final int[] newest;

  /** Shards that were taken back from a node, which is now the last to be tried. */
  private final BitSet takenBack = new BitSet();

  /** Starts in planned order. */
  CopyOrder(List<PlannedShard> shards) {
    this.shards = shards;
    this.newest = new int[shards.size()];
  }

  /** Returns the node of the copy that is tried, or is to be tried first. */
  String current(int shard) {
    return nodes(shard).get(newest[shard]);
  }

  /** Returns whether the current copy is the first that the shard tries. */
  boolean isFirst(int shard) {
    return newest[shard] == 0;
  }

  /** Returns whether the first copy may still be chosen among equally good ones. */
  boolean isOpen(int shard) {
    return newest[shard] == 0 && !takenBack.get(shard);
  }

  /** Returns the node of the copy after the current one; null if there is none. */
  @Nullable String next(int shard) {
    List<String> nodes = nodes(shard);
    int next = newest[shard] + 1;
    return next < nodes.size() ? nodes.get(next) : null;
  }

  /** Goes on to the next copy; returns whether there is one. */
  boolean advance(int shard) {
    return ++newest[shard] < shards.get(shard).nodeIds().size();
  }

  /** Puts the copy on this node before the others of a shard; returns the node. */
  String putFirst(int shard, String nodeId) {
    List<String> planned = shards.get(shard).nodeIds();
    if (!planned.getFirst().equals(nodeId)) {
      List<String> nodes = new ArrayList<>(planned);
      nodes.remove(nodeId);
      nodes.addFirst(nodeId);
      reorderedNodeIds.put(shard, nodes);
    }
    return nodeId;
  }

  /** Puts the copy on this node behind the others of a shard, which tries another one first. */
  void putLast(int shard, String nodeId) {
    List<String> nodes = new ArrayList<>(nodes(shard));
    nodes.remove(nodeId);
    nodes.add(nodeId);
    reorderedNodeIds.put(shard, nodes);
    takenBack.set(shard);
  }

  private List<String> nodes(int shard) {
    List<String> nodes = reorderedNodeIds.get(shard);
    return nodes == null ? shards.get(shard).nodeIds() : nodes;
  }
}
