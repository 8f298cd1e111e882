package dev.weir.routing.write;

import dev.weir.model.NodeCallType;
import dev.weir.model.Phase;

/** Estimates the cost of sending documents to nodes. Safe on any thread. */
public interface WriteCostEstimator {
  /**
   * Returns the expected time of a request sent now, plus the node's silence beyond that, in
   * nanoseconds. Infinite for an ejected node.
   */
  double expectedNanos(String nodeId, NodeCallType work);

  /**
   * Returns true if a node should get a test request now: its ejection time is over (only one
   * caller gets true), or it is idle without a recent response.
   */
  boolean takeTrial(String nodeId, Phase phase);
}
