package dev.weir.http.proxy;

/**
 * Statistics of a {@link NodeProxy}: what it holds now, and totals since it was created.
 *
 * @param connections to nodes, open or being opened
 * @param waiting requests that wait for a connection
 * @param inFlight requests not ended yet, including waiting ones
 * @param retries requests sent again because their connection failed or could not be opened
 * @param rejectionRetries requests sent to another node because a node rejected them with 429
 * @param failures requests that ended without a complete response of a node
 */
public record ProxyStats(
    long connections,
    long waiting,
    long inFlight,
    long retries,
    long rejectionRetries,
    long failures) {}
