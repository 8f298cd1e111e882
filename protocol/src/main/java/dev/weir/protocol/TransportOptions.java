package dev.weir.protocol;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The options of connections to a cluster's nodes.
 *
 * @param clusterName the cluster name that nodes must report in the handshake; null for any
 * @param compression the compression of requests; a node compresses the response to a compressed
 *     request
 * @param limits the bounds
 * @param timing the timeouts
 * @param tls the encryption; null for plain TCP
 * @param budget the budget for the memory of received frames
 */
public record TransportOptions(
    @Nullable String clusterName,
    Compression compression,
    Limits limits,
    Timing timing,
    @Nullable TransportTlsOptions tls,
    FrameBudget budget) {

  /** The use of compression: zstd with nodes whose plugin reads it, DEFLATE with all others. */
  public enum Compression {
    /** Never. */
    OFF,
    /** Always. */
    ON,
    /** Except to loopback, link-local and site-local (private) addresses. */
    AUTO,
    /** Always, and never by zstd. */
    DEFLATE
  }

  /**
   * The bounds of channels.
   *
   * @param maxFrameBytes the largest frame in either direction
   * @param maxInflatedBytes the largest inflated size of a compressed response
   * @param maxInFlight the maximum number of calls in flight on one channel
   * @param maxPending the maximum number of calls that wait for one channel to connect
   * @param maxUnsentBytes the maximum bytes that wait for one channel's socket; beyond it calls are
   *     rejected
   */
  public record Limits(
      int maxFrameBytes,
      int maxInflatedBytes,
      int maxInFlight,
      int maxPending,
      int maxUnsentBytes) {
    private static final long MIN_FRAME_BYTES = 16 << 20;
    private static final long MAX_FRAME_BYTES = 1 << 30;
    private static final long MAX_UNSENT_BYTES = 128 << 20;

    /** The bounds for this JVM's heap. */
    public static final Limits DEFAULT = forHeap(Runtime.getRuntime().maxMemory());

    /**
     * Creates bounds for a heap: a frame takes at most 30 % of it, as on a node, and at most 1 GiB.
     * The unsent bytes of one channel are bounded by those of all channels, and by 128 MiB.
     */
    static Limits forHeap(long heapBytes) {
      int frame = (int) Math.clamp(heapBytes / 10 * 3, MIN_FRAME_BYTES, MAX_FRAME_BYTES);
      int unsent = (int) Math.min(TransportMemory.unsentForHeap(heapBytes), MAX_UNSENT_BYTES);
      return new Limits(frame, frame, 10_000, 1_000, unsent);
    }
  }

  /**
   * The timeouts of channels.
   *
   * @param connectTimeout the timeout of a TCP connection
   * @param handshakeTimeout the timeout of each of the two handshakes
   * @param pingInterval the idle time before a keep-alive ping; after three pings in a row without
   *     any received byte, the channel is closed with the next one
   * @param initialBackoff the longest delay before the second attempt to connect; doubles with each
   *     further attempt
   * @param maxBackoff the longest delay between attempts
   * @param drainTimeout the longest time that a closing channel waits for calls in flight; short,
   *     because the cluster may have removed the node for not responding
   */
  public record Timing(
      Duration connectTimeout,
      Duration handshakeTimeout,
      Duration pingInterval,
      Duration initialBackoff,
      Duration maxBackoff,
      Duration drainTimeout) {
    /** The timeouts for a cluster in the same region. */
    public static final Timing DEFAULT =
        new Timing(
            Duration.ofSeconds(3),
            Duration.ofSeconds(10),
            Duration.ofSeconds(20),
            Duration.ofMillis(100),
            Duration.ofSeconds(5),
            Duration.ofSeconds(5));

    /** Returns these timeouts with another one for TCP connections. */
    public Timing withConnectTimeout(Duration value) {
      return new Timing(
          value, handshakeTimeout, pingInterval, initialBackoff, maxBackoff, drainTimeout);
    }
  }

  /** Any cluster name, compression by address, default bounds, plain TCP. */
  public static TransportOptions defaults() {
    return new TransportOptions(
        null, Compression.AUTO, Limits.DEFAULT, Timing.DEFAULT, null, FrameBudget.UNLIMITED);
  }

  public TransportOptions withClusterName(@Nullable String name) {
    return new TransportOptions(name, compression, limits, timing, tls, budget);
  }

  public TransportOptions withCompression(Compression value) {
    return new TransportOptions(clusterName, value, limits, timing, tls, budget);
  }

  public TransportOptions withLimits(Limits value) {
    return new TransportOptions(clusterName, compression, value, timing, tls, budget);
  }

  public TransportOptions withTiming(Timing value) {
    return new TransportOptions(clusterName, compression, limits, value, tls, budget);
  }

  public TransportOptions withTls(@Nullable TransportTlsOptions value) {
    return new TransportOptions(clusterName, compression, limits, timing, value, budget);
  }

  public TransportOptions withBudget(FrameBudget value) {
    return new TransportOptions(clusterName, compression, limits, timing, tls, value);
  }
}
