package dev.weir.http.proxy;

import java.time.Duration;
import java.util.function.DoubleSupplier;

/**
 * Timeouts, limits and retries of passed-through requests.
 *
 * @param connectTimeout to open a connection; also how long a request waits for one when all are in
 *     use
 * @param responseTimeout from the request's last byte to the first byte of the node's response
 * @param stallTimeout without progress in a started transfer, while the receiving side is ready
 * @param idleTimeout after which an unused connection is closed
 * @param maxConnectionsPerNode connections that one event loop opens to one node while all loops
 *     serve; requests whose bodies still arrive use at most half of them
 * @param maxWaitingPerNode requests of one event loop that wait for a connection to one node while
 *     all loops serve; further ones get 429
 * @param maxAddressRatio the part of these connections, and of the waiting requests, that one
 *     client may have, from 0 to 1
 * @param repeatable the requests that go to another node when a node rejects them with 429
 * @param loopShare how many loops' connections each serving loop may open: more than 1 while others
 *     have nothing to do
 */
public record ProxyOptions(
    Duration connectTimeout,
    Duration responseTimeout,
    Duration stallTimeout,
    Duration idleTimeout,
    int maxConnectionsPerNode,
    int maxWaitingPerNode,
    double maxAddressRatio,
    RepeatableRequests repeatable,
    DoubleSupplier loopShare) {

  /** Creates options that let one client use every connection, and repeat no rejected request. */
  public ProxyOptions(
      Duration connectTimeout,
      Duration responseTimeout,
      Duration stallTimeout,
      Duration idleTimeout,
      int maxConnectionsPerNode,
      int maxWaitingPerNode) {
    this(
        connectTimeout,
        responseTimeout,
        stallTimeout,
        idleTimeout,
        maxConnectionsPerNode,
        maxWaitingPerNode,
        1,
        RepeatableRequests.NONE,
        () -> 1);
  }

  /** Returns a copy that repeats rejected requests. */
  public ProxyOptions withRepeatable(RepeatableRequests requests) {
    return new ProxyOptions(
        connectTimeout,
        responseTimeout,
        stallTimeout,
        idleTimeout,
        maxConnectionsPerNode,
        maxWaitingPerNode,
        maxAddressRatio,
        requests,
        loopShare);
  }

  /** Returns how many connections an event loop may open to one node now. */
  int connectionLimit() {
    return (int) (maxConnectionsPerNode * loopShare.getAsDouble());
  }

  /** Returns how many requests of an event loop may wait for a connection to one node now. */
  int waitingLimit() {
    return (int) (maxWaitingPerNode * loopShare.getAsDouble());
  }

  /** Returns how many of an event loop's connections to one node a client may use. */
  int maxConnectionsPerClient() {
    return Math.max(1, (int) Math.ceil(connectionLimit() * maxAddressRatio));
  }

  /** Returns how many requests of a client may wait for a connection to a node. */
  int maxWaitingPerClient() {
    return (int) Math.ceil(waitingLimit() * maxAddressRatio);
  }

  /**
   * Returns how many of an event loop's connections to one node may serve requests whose bodies
   * were not complete at their start: the client decides how long those take.
   */
  int maxStreamingConnections() {
    return Math.max(1, connectionLimit() / 2);
  }

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
        512,
        0.75,
        RepeatableRequests.NONE,
        () -> 1);
  }
}
