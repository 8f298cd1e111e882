package dev.weir.routing;

/**
 * What was learned of a node for the adaptive score, as of its last answer; immutable, so that
 * selections read it without a lock.
 *
 * @param samples answers since it is known, or since it was last ejected
 * @param serviceNanos s
 * @param queue as last reported
 * @param others others' requests at the node
 * @param reportedAtNanos when a queue was last reported
 * @param repliedAtNanos when it last answered
 */
record Belief(
    long samples,
    double serviceNanos,
    double queue,
    double others,
    long reportedAtNanos,
    long repliedAtNanos) {

  static final Belief NONE = new Belief(0, 0, 0, 0, 0, 0);
}
