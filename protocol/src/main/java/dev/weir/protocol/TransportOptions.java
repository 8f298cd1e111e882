package dev.weir.protocol;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a cluster's nodes are talked to.
 *
 * @param clusterName the name that nodes must give in the handshake; null for any
 * @param compression when requests are compressed; a node compresses its answer when the request
 *     was
 * @param limits what is bounded
 * @param timing how long things may take
 * @param tls how channels are encrypted; null for plain TCP
 * @param budget pays for the memory of received frames
 */
public record TransportOptions(
    @Nullable String clusterName,
    Compression compression,
    Limits limits,
    Timing timing,
    @Nullable TransportTlsOptions tls,
    FrameBudget budget) {

  /** When requests are compressed (DEFLATE, the one coding that nodes speak). */
  public enum Compression {
    /** Never. */
    OFF,
    /** Always. */
    ON,
    /** Except to loopback, link-local and site-local (private) addresses. */
    AUTO
  }

  /**
   * What is bounded.
   *
   * @param maxFrameBytes the largest frame that is received or sent
   * @param maxInflatedBytes the most that one compressed answer may inflate to
   * @param maxInFlight the most calls in flight on one channel
   * @param maxPending the most calls that wait for one channel to connect
   * @param maxUnsentBytes how many bytes may wait in one channel for its socket before calls are
   *     refused
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

    /** Bounds that fit this JVM's heap. */
    public static final Limits DEFAULT = forHeap(Runtime.getRuntime().maxMemory());

    /**
     * Bounds that fit a heap: a frame takes 30 % of it at most, as on a node, and 1 GiB at most.
     * One channel may have all unsent that all of them may, or 128 MiB.
     */
    static Limits forHeap(long heapBytes) {
      int frame = (int) Math.clamp(heapBytes / 10 * 3, MIN_FRAME_BYTES, MAX_FRAME_BYTES);
      int unsent = (int) Math.min(TransportMemory.unsentForHeap(heapBytes), MAX_UNSENT_BYTES);
      return new Limits(frame, frame, 10_000, 1_000, unsent);
    }
  }

  /**
   * How long things may take.
   *
   * @param connectTimeout until a TCP connection must stand
   * @param handshakeTimeout until each of the two handshakes must be answered
   * @param pingInterval how long a channel is silent before a keep-alive ping is sent; after three
   *     that nothing was heard for, the channel is closed
   * @param initialBackoff the longest wait before the second attempt to connect; doubles with each
   *     further attempt
   * @param maxBackoff the longest wait between attempts
   * @param drainTimeout how long a channel that is left waits for what is in flight; short, because
   *     the cluster may have dropped the node for not answering
   */
  public record Timing(
      Duration connectTimeout,
      Duration handshakeTimeout,
      Duration pingInterval,
      Duration initialBackoff,
      Duration maxBackoff,
      Duration drainTimeout) {
    /** Timing for a cluster in the same region. */
    public static final Timing DEFAULT =
        new Timing(
            Duration.ofSeconds(3),
            Duration.ofSeconds(10),
            Duration.ofSeconds(20),
            Duration.ofMillis(100),
            Duration.ofSeconds(5),
            Duration.ofSeconds(5));

    /** The same with another time for TCP connections. */
    public Timing withConnectTimeout(Duration value) {
      return new Timing(
          value, handshakeTimeout, pingInterval, initialBackoff, maxBackoff, drainTimeout);
    }
  }

  /** Any cluster name, compression by distance, standard bounds, plain TCP. */
  public static TransportOptions defaults() {
    return new TransportOptions(
        null, Compression.AUTO, Limits.DEFAULT, Timing.DEFAULT, null, FrameBudget.UNLIMITED);
  }

  /** The same with another cluster name. */
  public TransportOptions withClusterName(@Nullable String name) {
    return new TransportOptions(name, compression, limits, timing, tls, budget);
  }

  /** The same with another compression. */
  public TransportOptions withCompression(Compression value) {
    return new TransportOptions(clusterName, value, limits, timing, tls, budget);
  }

  /** The same with other bounds. */
  public TransportOptions withLimits(Limits value) {
    return new TransportOptions(clusterName, compression, value, timing, tls, budget);
  }

  /** The same with another timing. */
  public TransportOptions withTiming(Timing value) {
    return new TransportOptions(clusterName, compression, limits, value, tls, budget);
  }

  /** The same with encryption. */
  public TransportOptions withTls(@Nullable TransportTlsOptions value) {
    return new TransportOptions(clusterName, compression, limits, timing, value, budget);
  }

  /** The same with another budget. */
  public TransportOptions withBudget(FrameBudget value) {
    return new TransportOptions(clusterName, compression, limits, timing, tls, value);
  }
}
