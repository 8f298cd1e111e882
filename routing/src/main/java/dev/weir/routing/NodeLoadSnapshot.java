package dev.weir.routing;

import dev.weir.model.Phase;

/**
 * A node's load at one moment, to be shown.
 *
 * @param load what its score is made of
 * @param health how far it is trusted
 */
public record NodeLoadSnapshot(String nodeId, Phase phase, NodeLoad load, Health health) {
  /**
   * How far a node is trusted.
   *
   * @param samples answers since it is known, or since it was last ejected
   * @param sinceReplyNanos time since its last answer; -1 when it never answered
   * @param ejected whether it is tried last, until a request to it succeeds
   * @param ejectedNanos for how long yet not even one request tries it; 0 when one may
   */
  public record Health(long samples, long sinceReplyNanos, boolean ejected, long ejectedNanos) {}
}
