package dev.weir.http.proxy;

import java.time.Duration;

/**
 * The bounds of the way through.
 *
 * @param connectTimeout how long a connection may take to stand, and how long a request may wait
 *     for one when all are taken
 * @param responseTimeout from the request's last byte to the first byte of the node's answer
 * @param stallTimeout how long a started transfer may stand still while the other side is ready for
 *     it
 * @param idleTimeout after which an unused connection is closed
 * @param maxConnectionsPerNode how many connections one event loop opens to one node
 * @param maxWaitingPerNode how many requests of one event loop may wait for a connection to one
 *     node; further ones are answered 429
 */
public record ProxyOptions(
    Duration connectTimeout,
    Duration responseTimeout,
    Duration stallTimeout,
    Duration idleTimeout,
    int maxConnectionsPerNode,
    int maxWaitingPerNode) {

  /** Bounds that suit most clusters: long-running requests such as a reindex may take an hour. */
  public static ProxyOptions standard() {
    return new ProxyOptions(
        Duration.ofSeconds(5),
        Duration.ofHours(1),
        Duration.ofMinutes(2),
        Duration.ofSeconds(60),
        128,
        512);
  }
}
