package dev.weir.routing;

/**
 * What is believed of a node at one moment, for one phase; every number finite and not negative.
 *
 * @param outstanding requests sent to it and not answered yet
 * @param responseNanos R, the average response time seen here
 * @param serviceNanos S, the service time it reports; R where it reports none
 * @param queueSize q, the queue it reported, fading with time
 * @param errorRate share of failures lately, 0 to 1, fading with time
 */
public record NodeLoad(
    int outstanding,
    double responseNanos,
    double serviceNanos,
    double queueSize,
    double errorRate) {}
