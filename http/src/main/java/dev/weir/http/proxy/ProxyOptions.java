package dev.weir.http.proxy;

import java.time.Duration;

/**
 * Timeouts and limits of passed-through requests.
 *
 * @param connectTimeout to open a connection; also how long a request waits for one when all are in
 *     use
 * @param responseTimeout from the request's last byte to the first byte of the node's response
 * @param stallTimeout without progress in a started transfer, while the receiving side is ready
 * @param idleTimeout after which an unused connection is closed
 * @param maxConnectionsPerNode connections that one event loop opens to one node
 * @param maxWaitingPerNode requests of one event loop that wait for a connection to one node;
 *     further ones get 429
 */
public record ProxyOptions(
    Duration connectTimeout,
    Duration responseTimeout,
    Duration stallTimeout,
    Duration idleTimeout,
    int maxConnectionsPerNode,
    int maxWaitingPerNode) {

  /**
   * Returns defaults that suit most clusters; long-running requests such as a reindex may take an
   * hour.
   */
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
