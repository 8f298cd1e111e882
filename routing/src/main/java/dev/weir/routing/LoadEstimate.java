package dev.weir.routing;

/**
 * The learned load of a node for the adaptive score, as of its last response; immutable, so that
 * selectors read it without a lock.
 *
 * @param samples responses since the node is known, or since its last ejection
 * @param serviceNanos s
 * @param queueSize as last reported
 * @param othersLoad requests of other clients at the node
 * @param reportedAtNanos the time of the last queue report
 * @param repliedAtNanos the time of the last response
 */
record LoadEstimate(
    long samples,
    double serviceNanos,
    double queueSize,
    double othersLoad,
    long reportedAtNanos,
    long repliedAtNanos) {

  static final LoadEstimate NONE = new LoadEstimate(0, 0, 0, 0, 0, 0);
}
