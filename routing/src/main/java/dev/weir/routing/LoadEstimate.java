package dev.weir.routing;

/**
 * What was learned of a node for the adaptive score, as of its last answer; immutable, so that
 * selections read it without a lock.
 *
 * @param samples answers since it is known, or since it was last ejected
 * @param serviceNanos s
 * @param queueSize as last reported
 * @param othersLoad others' requests at the node
 * @param reportedAtNanos when a queue was last reported
 * @param repliedAtNanos when it last answered
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
