package dev.weir.routing.weight;

import dev.weir.model.ShardCopy;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The weights of the nodes of one cluster, and of single copies of shards. A node or a copy that is
 * not in it has its full weight. Safe on any thread; reads the clock only while one has less.
 */
public final class NodeWeights {
  private final LongSupplier millisClock;
  private final RandomGenerator random;
  private volatile ReducedWeights reduced = ReducedWeights.NONE;

  /**
   * The weights below the full one, at some moment.
   *
   * @param byCopy by allocation id; empty but for the first seconds of new copies
   * @param fullSinceMillis from when on all are full
   */
  private record ReducedWeights(
      Map<String, NodeWeight> byNodeId, Map<String, NodeWeight> byCopy, long fullSinceMillis) {
    static final ReducedWeights NONE = new ReducedWeights(Map.of(), Map.of(), Long.MIN_VALUE);

    static ReducedWeights of(
        Map<String, NodeWeight> byNodeId, Map<String, NodeWeight> byCopy, long nowMillis) {
      Map<String, NodeWeight> nodes = new HashMap<>(byNodeId);
      Map<String, NodeWeight> copies = new HashMap<>(byCopy);
      nodes.values().removeIf(weight -> weight.isFull(nowMillis));
      copies.values().removeIf(weight -> weight.isFull(nowMillis));
      long full = Long.MIN_VALUE;
      for (Map<String, NodeWeight> some : List.of(nodes, copies)) {
        for (NodeWeight weight : some.values()) {
          full = Math.max(full, weight.fullSinceMillis());
        }
      }
      return new ReducedWeights(Map.copyOf(nodes), Map.copyOf(copies), full);
    }
  }

  /**
   * Starts with full weights.
   *
   * @param millisClock the time of day in milliseconds since 1970: gateways share the start of a
   *     ramp
   * @param random safe on any thread
   */
  public NodeWeights(LongSupplier millisClock, RandomGenerator random) {
    this.millisClock = millisClock;
    this.random = random;
  }

  /** Replaces all weights. Those that are full, and stay so, are left out. */
  public synchronized void replace(Map<String, NodeWeight> weights) {
    reduced = ReducedWeights.of(weights, reduced.byCopy(), millisClock.getAsLong());
  }

  /**
   * Changes the weights of copies, by allocation id, and keeps the others. A copy with the weight 0
   * follows the copies on nodes that take part; unlike a drained node, it is not taken for absent.
   */
  public synchronized void changeCopies(Map<String, NodeWeight> weights) {
    Map<String, NodeWeight> changed = new HashMap<>(reduced.byCopy());
    changed.putAll(weights);
    reduced = ReducedWeights.of(reduced.byNodeId(), changed, millisClock.getAsLong());
  }

  /** Returns the weight of a copy now, regardless of its node's, from 0 to 1. */
  public double ofCopy(ShardCopy copy) {
    return at(reduced.byCopy().get(copy.allocationId()));
  }

  /** Returns whether every node and every copy has its full weight. */
  public boolean areFull() {
    long since = reduced.fullSinceMillis();
    return since == Long.MIN_VALUE
        || (since < Long.MAX_VALUE && millisClock.getAsLong() >= since && removeFull());
  }

  /** Forgets the weights whose ramps have ended; returns whether none is left. */
  private synchronized boolean removeFull() {
    reduced = ReducedWeights.of(reduced.byNodeId(), reduced.byCopy(), millisClock.getAsLong());
    return reduced.fullSinceMillis() == Long.MIN_VALUE;
  }

  /** Returns the weight of a node now, from 0 to 1. */
  public double of(String nodeId) {
    return at(reduced.byNodeId().get(nodeId));
  }

  private double at(@Nullable NodeWeight weight) {
    return weight == null ? NodeWeight.FULL : weight.at(millisClock.getAsLong());
  }

  /** Returns whether a node gets only what no other node can do. */
  public boolean isDrained(String nodeId) {
    return of(nodeId) <= 0;
  }

  /**
   * Returns whether a node takes part in one choice: with a weight of 0.25 it does in a quarter of
   * them, drawn at random.
   */
  public boolean drawsIn(String nodeId) {
    return draw(of(nodeId));
  }

  /** Returns whether a copy takes part in one choice, by its own weight and its node's. */
  public boolean drawsIn(ShardCopy copy) {
    return draw(of(copy.nodeId()) * ofCopy(copy));
  }

  private boolean draw(double share) {
    return share >= NodeWeight.FULL || random.nextDouble() < share;
  }
}
