package dev.weir.http.proxy;

/**
 * What the way through holds now, and what it did since it was made.
 *
 * @param connections to nodes, open or being opened
 * @param waiting requests that wait for a connection
 * @param inFlight requests on their way, waiting ones too
 * @param retries requests sent again because their connection broke or could not be made
 * @param failures requests that ended without a node's whole answer
 */
public record ProxyStats(
    long connections, long waiting, long inFlight, long retries, long failures) {}
