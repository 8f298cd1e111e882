package dev.weir.gateway.stats;

/**
 * The work in flight at one moment; all zero while the gateway is idle.
 *
 * @param queuedRequests requests that wait for nodes, and the slots of nodes that requests hold or
 *     have reserved
 * @param writeBytes bytes of writes in flight to nodes
 * @param shadowReads shadow reads in flight, and comparisons that wait
 * @param shadowBytes copies of requests and responses, held for shadow reads
 */
public record InFlightWork(
    int requests,
    int actions,
    int outstandingNodeCalls,
    int queuedRequests,
    long writeBytes,
    long requestBodyBytes,
    long heldFrames,
    long requestMemoryBytes,
    int shadowReads,
    long shadowBytes) {
  /** Whether nothing is in flight. */
  public boolean isIdle() {
    return requests == 0
        && actions == 0
        && outstandingNodeCalls == 0
        && queuedRequests == 0
        && writeBytes == 0
        && requestBodyBytes == 0
        && heldFrames == 0
        && requestMemoryBytes == 0
        && shadowReads == 0
        && shadowBytes == 0;
  }
}
