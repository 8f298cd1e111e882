package dev.weir.protocol;

/**
 * What the channels to all clusters' nodes take of the process's memory beside what requests pay
 * for: frames that wait for their sockets, and arrays that are kept for large frames to come. One
 * for a process. Safe on any thread.
 */
public final class TransportMemory {
  /** The least that may be unsent: some requests must get out however small the heap is. */
  static final long MIN_UNSENT_BYTES = 16 << 20;

  /** Such a part of the heap may be kept for large frames to come. */
  private static final int POOLED_HEAP_DIVISOR = 16;

  private final UnsentBytesLimiter unsent;
  private final long maxUnsentPerCluster;
  private final FrameArrayPool arrayPool;

  /**
   * Makes it.
   *
   * @param mostUnsent bytes that may wait for sockets
   * @param mostUnsentOfOne those of them that may wait for one cluster's
   * @param mostKept bytes of arrays that are kept
   */
  TransportMemory(long mostUnsent, long mostUnsentOfOne, long mostKept) {
    this.unsent = new UnsentBytesLimiter(mostUnsent);
    this.maxUnsentPerCluster = mostUnsentOfOne;
    this.arrayPool = new FrameArrayPool(mostKept);
  }

  /**
   * Bounds that fit this JVM's heap.
   *
   * @param clusters how many share it
   */
  public static TransportMemory forThisJvm(int clusters) {
    return forHeap(Runtime.getRuntime().maxMemory(), clusters);
  }

  /**
   * Bounds that fit a heap. What waits for sockets is outside of it, in memory of about the heap's
   * size (which is a JVM's default): half of that at most. Where several clusters share it, one
   * takes three quarters of it at most, so that one whose nodes take nothing leaves room for the
   * others; that is more than the largest frame.
   */
  static TransportMemory forHeap(long heapBytes, int clusters) {
    long unsent = unsentForHeap(heapBytes);
    long ofOne = clusters > 1 ? Math.max(unsent / 4 * 3, MIN_UNSENT_BYTES) : unsent;
    return new TransportMemory(unsent, ofOne, heapBytes / POOLED_HEAP_DIVISOR);
  }

  static long unsentForHeap(long heapBytes) {
    return Math.max(heapBytes / 2, MIN_UNSENT_BYTES);
  }

  /** Bounds what waits for one cluster's sockets. */
  UnsentBytesLimiter limiterForCluster() {
    return unsent.forCluster(maxUnsentPerCluster);
  }

  FrameArrayPool arrayPool() {
    return arrayPool;
  }

  /** How many bytes of frames wait for their sockets; zero at rest. */
  public long unsentBytes() {
    return unsent.heldBytes();
  }

  /** How many may. */
  public long maxUnsentBytes() {
    return unsent.maxBytes();
  }

  /** How many bytes of heap are kept for large frames to come. */
  public long pooledBytes() {
    return arrayPool.pooledBytes();
  }
}
