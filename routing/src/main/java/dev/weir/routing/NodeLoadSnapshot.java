package dev.weir.routing;

import dev.weir.model.Phase;

/**
 * A node's load at one moment, for display.
 *
 * @param load the inputs of its score
 * @param health its health
 */
public record NodeLoadSnapshot(String nodeId, Phase phase, NodeLoad load, Health health) {
  /**
   * The health of a node.
   *
   * @param samples responses since the node is known, or since its last ejection
   * @param sinceReplyNanos time since its last response; -1 without any
   * @param silenceNanos how much longer than expected it has been silent with a request outstanding
   * @param ejected the node ranks last until a request to it succeeds
   * @param ejectedNanos the remaining time without even a probe; 0 if a probe may be sent
   * @param unsteady the node keeps standing still and ranks behind steady ones
   */
  public record Health(
      long samples,
      long sinceReplyNanos,
      double silenceNanos,
      boolean ejected,
      long ejectedNanos,
      boolean unsteady) {}
}
