package dev.weir.http.options;

import java.time.Duration;

/**
 * Bounds what one client may take from the others. A client is an IPv4 address, or the first 64
 * bits of an IPv6 address.
 *
 * @param maxAddressRatio the part of something shared that one client may use, from 0 to 1
 * @param minBodyBytesPerSecond the slowest that a client may send a body, averaged over 30 seconds
 * @param maxBodyDuration how long a client may take to send a body
 * @param maxGatheredBytes bytes of a body that are gathered before its request takes a connection
 *     to a node
 * @param minResponseBytesPerSecond the slowest that a client may read a response on average
 * @param maxResponseDuration how long a client may take to read a response that the gateway holds
 *     in memory
 * @param maxHeldResponseBytes the memory for responses that clients have not read, of all clients
 */
public record ClientLimits(
    double maxAddressRatio,
    long minBodyBytesPerSecond,
    Duration maxBodyDuration,
    int maxGatheredBytes,
    long minResponseBytesPerSecond,
    Duration maxResponseDuration,
    long maxHeldResponseBytes) {

  /** Returns limits that leave a quarter to other clients. */
  public static ClientLimits standard() {
    return new ClientLimits(
        0.75,
        1 << 10,
        Duration.ofHours(1),
        1 << 20,
        8 << 10,
        Duration.ofMinutes(30),
        Long.MAX_VALUE);
  }

  /** Returns these limits with another ratio. */
  public ClientLimits withMaxAddressRatio(double ratio) {
    return new ClientLimits(
        ratio,
        minBodyBytesPerSecond,
        maxBodyDuration,
        maxGatheredBytes,
        minResponseBytesPerSecond,
        maxResponseDuration,
        maxHeldResponseBytes);
  }

  /** Returns these limits with other memory for responses that clients have not read. */
  public ClientLimits withMaxHeldResponseBytes(long bytes) {
    return new ClientLimits(
        maxAddressRatio,
        minBodyBytesPerSecond,
        maxBodyDuration,
        maxGatheredBytes,
        minResponseBytesPerSecond,
        maxResponseDuration,
        bytes);
  }

  /** Returns how much of something shared one client may use; at least one. */
  public long shareOf(long all) {
    return Math.max(1, (long) Math.ceil(all * maxAddressRatio));
  }
}
