package dev.weir.routing;

/**
 * The estimated load of a node at one moment, for one phase; every number is finite and not
 * negative.
 *
 * @param outstanding requests sent without a response yet
 * @param responseNanos R, the average response time measured here
 * @param serviceNanos S, the service time that the node reports; R if it reports none
 * @param queueSize q, the queue that the node reported, decaying with time
 * @param errorRate the fraction of recent failures, 0 to 1, decaying with time
 */
public record NodeLoad(
    int outstanding,
    double responseNanos,
    double serviceNanos,
    double queueSize,
    double errorRate) {}
