package dev.weir.routing.weight;

import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * The weights of the nodes of one cluster. A node that is not in it has its full weight. Safe on
 * any thread; reads the clock only while a node has less.
 */
public final class NodeWeights {
  private final LongSupplier millisClock;
  private final RandomGenerator random;
  private volatile Map<String, NodeWeight> byNodeId = Map.of();

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
  public void replace(Map<String, NodeWeight> weights) {
    long now = millisClock.getAsLong();
    Map<String, NodeWeight> reduced = new HashMap<>(weights);
    reduced.values().removeIf(weight -> weight.isFull(now));
    byNodeId = Map.copyOf(reduced);
  }

  /** Returns whether every node has its full weight. */
  public boolean areFull() {
    return byNodeId.isEmpty();
  }

  /** Returns the weight of a node now, from 0 to 1. */
  public double of(String nodeId) {
    NodeWeight weight = byNodeId.get(nodeId);
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
    NodeWeight weight = byNodeId.get(nodeId);
    if (weight == null) {
      return true;
    }
    double share = weight.at(millisClock.getAsLong());
    return share >= NodeWeight.FULL || random.nextDouble() < share;
  }
}
