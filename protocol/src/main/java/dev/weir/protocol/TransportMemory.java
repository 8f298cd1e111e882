package dev.weir.protocol;

import dev.weir.protocol.outbound.UnsentBytesLimiter;

/**
 * The memory of all channels that no request accounts for: frames that wait for their sockets, and
 * unused arrays for large frames. One for each process. Safe on any thread.
 */
public final class TransportMemory {
  /** The minimum bound of unsent bytes: some requests must leave however small the heap is. */
  static final long MIN_UNSENT_BYTES = 16 << 20;

  /** The unused arrays for large frames take at most this fraction of the heap. */
  private static final int POOLED_HEAP_DIVISOR = 16;

  private final UnsentBytesLimiter unsent;
  private final long maxUnsentPerCluster;
  private final FrameArrayPool arrayPool;

  /**
   * Creates the bounds.
   *
   * @param maxUnsent the maximum bytes that wait for sockets
   * @param maxUnsentOfOne the maximum of these for one cluster
   * @param maxPooled the maximum bytes of unused arrays
   */
  TransportMemory(long maxUnsent, long maxUnsentOfOne, long maxPooled) {
    this.unsent = new UnsentBytesLimiter(maxUnsent);
    this.maxUnsentPerCluster = maxUnsentOfOne;
    this.arrayPool = new FrameArrayPool(maxPooled);
  }

  /**
   * Creates bounds for this JVM's heap.
   *
   * @param clusters the number of clusters
   */
  public static TransportMemory forThisJvm(int clusters) {
    return forHeap(Runtime.getRuntime().maxMemory(), clusters);
  }

  /**
   * Creates bounds for a heap. Bytes that wait for sockets are in direct memory, which a JVM limits
   * to about the heap's size by default; they take at most half of that. With several clusters, one
   * takes at most three quarters of it, so that a cluster that reads nothing leaves memory for the
   * others; three quarters exceed the largest frame.
   */
  static TransportMemory forHeap(long heapBytes, int clusters) {
    long unsent = unsentForHeap(heapBytes);
    long ofOne = clusters > 1 ? Math.max(unsent / 4 * 3, MIN_UNSENT_BYTES) : unsent;
    return new TransportMemory(unsent, ofOne, heapBytes / POOLED_HEAP_DIVISOR);
  }

  static long unsentForHeap(long heapBytes) {
    return Math.max(heapBytes / 2, MIN_UNSENT_BYTES);
  }

  /** Creates the limiter of one cluster's sockets. */
  UnsentBytesLimiter limiterForCluster() {
    return unsent.forCluster(maxUnsentPerCluster);
  }

  FrameArrayPool arrayPool() {
    return arrayPool;
  }

  /** Returns the bytes of frames that wait for their sockets; zero when idle. */
  public long unsentBytes() {
    return unsent.heldBytes();
  }

  /** Returns the bound of unsent bytes. */
  public long maxUnsentBytes() {
    return unsent.maxBytes();
  }

  /**
   * Gives arrays for large frames back to the collector that no frame has needed since the last
   * call. To be called every few seconds.
   */
  public void trim() {
    arrayPool.trim();
  }

  /** Returns the heap bytes of unused arrays for large frames. */
  public long pooledBytes() {
    return arrayPool.pooledBytes();
  }
}
