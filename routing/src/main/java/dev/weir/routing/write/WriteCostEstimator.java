package dev.weir.routing.write;

import dev.weir.model.NodeCallType;
import dev.weir.model.Phase;

/** What is known of nodes that documents may be sent to. Safe on any thread. */
public interface WriteCostEstimator {
  /**
   * What a request that is sent to a node now is expected to take, with for how long the node has
   * been silent beyond that; nanoseconds. Infinite where the node is ejected.
   */
  double expectedNanos(String nodeId, NodeCallType work);

  /**
   * Whether a node should get a request now to see how it does: it is ejected and its time is over
   * (then one caller gets true), or it is idle and has not answered for long.
   */
  boolean takeTrial(String nodeId, Phase phase);
}
