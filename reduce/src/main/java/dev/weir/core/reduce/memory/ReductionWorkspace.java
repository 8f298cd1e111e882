package dev.weir.core.reduce.memory;

import dev.weir.core.reduce.memory.BreakerCheckingStreamInput.BreakerCheckingRegistry;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.search.aggregations.InternalAggregation;

/**
 * The memory account of one reduction that goes bucket by bucket. It reserves what the reduction
 * really holds: the objects of one bucket at a time, measured as they are created, and the results.
 * A reduction within a bucket counts its objects in a {@link Scope} of its own, because most of
 * them are garbage when it ends. Used by the reduction's thread; the memory is released with the
 * search's {@link SearchCircuitBreaker}.
 */
public final class ReductionWorkspace {
  /** Objects are reserved in steps of this many bytes. */
  static final long STEP_BYTES = 64 << 10;

  private final SearchCircuitBreaker breaker;
  private EmptyBucketEstimator emptyBuckets = new EmptyBucketEstimator();
  private long startBytes = ThreadAllocationMeter.currentThreadBytes();
  private long objectBytes;
  private long resultBytes;

  /** Reserved for objects that are garbage by now; the next objects use it first. */
  private long spareBytes;

  /** An input that checks the memory while it reads objects. Used by one thread at a time. */
  public final class CheckedInput {
    private final StreamInput stream;
    private final BreakerCheckingRegistry registry;

    private CheckedInput(StreamInput in, NamedWriteableRegistry all) {
      this.registry =
          new BreakerCheckingRegistry(
              all, breaker, emptyBuckets, ReductionWorkspace.this::reserveObjects);
      this.stream = new BreakerCheckingStreamInput(in, registry);
    }

    /** Returns the stream, to read objects of the current bucket. */
    public StreamInput forBucket() {
      registry.startResponse(emptyBuckets);
      return stream;
    }
  }

  /** The objects of a reduction within the current bucket. Closed by the thread that opened it. */
  public final class Scope implements AutoCloseable {
    private final EmptyBucketEstimator outerBuckets = emptyBuckets;
    private final long outerStart = startBytes;
    private final long outerObjects = objectBytes;
    private final long openedAt;

    private Scope() {
      objectBytes = 0;
      startBucket();
      openedAt = startBytes;
    }

    /** What was not retained as a result is garbage. */
    @Override
    public void close() {
      spareBytes += objectBytes;
      objectBytes = outerObjects;
      emptyBuckets = outerBuckets;
      startBytes = outerStart + (ThreadAllocationMeter.currentThreadBytes() - openedAt);
    }
  }

  ReductionWorkspace(SearchCircuitBreaker breaker) {
    this.breaker = breaker;
  }

  /** Returns an input that reads the same bytes and reserves memory for the objects. */
  public CheckedInput checked(StreamInput in, NamedWriteableRegistry registry) {
    return new CheckedInput(in, registry);
  }

  /** Opens a scope for a reduction within the current bucket. */
  public Scope openScope() {
    return new Scope();
  }

  /** The objects so far are garbage, or reserved as results; those of another bucket follow. */
  public void startBucket() {
    emptyBuckets = new EmptyBucketEstimator();
    startBytes = ThreadAllocationMeter.currentThreadBytes();
  }

  /**
   * Reserves memory for the objects of the current bucket that were created since the last call.
   *
   * @throws org.opensearch.core.common.breaker.CircuitBreakingException if there is not enough
   */
  public void reserveObjects() {
    long more = ThreadAllocationMeter.currentThreadBytes() - startBytes - objectBytes;
    if (more > 0) {
      long rounded = Math.max(more, STEP_BYTES);
      long reused = Math.min(rounded, spareBytes);
      if (rounded > reused) {
        breaker.reserveWorkspace(rounded - reused);
      }
      spareBytes -= reused;
      objectBytes += rounded;
    }
  }

  /**
   * The objects of the current bucket were the shards' parts and the result of their reduction. The
   * memory of the result stays reserved.
   *
   * @param parts how many shards sent a part; the result is taken to be as large as two of them
   */
  public void retainResult(int parts) {
    reserveObjects();
    long used = ThreadAllocationMeter.currentThreadBytes() - startBytes;
    retainBytes(2 * used / (parts + 1));
  }

  /** The objects of the current bucket are garbage, except for this many bytes of a result. */
  public void retainBytes(long bytes) {
    long result = Math.clamp(bytes, 0, objectBytes);
    spareBytes += objectBytes - result;
    objectBytes = 0;
    resultBytes += result;
    startBucket();
  }

  /** Returns the bytes of all results so far. */
  public long resultBytes() {
    return resultBytes;
  }

  /** Results of this many bytes are garbage. */
  public void discardResults(long bytes) {
    resultBytes -= bytes;
    spareBytes += bytes;
  }

  /**
   * Reserves memory for a result.
   *
   * @throws org.opensearch.core.common.breaker.CircuitBreakingException if there is not enough
   */
  public void reserve(long bytes) {
    breaker.reserveWorkspace(bytes);
    resultBytes += bytes;
  }

  /**
   * Fails unless there is memory for an object that is created next.
   *
   * @throws org.opensearch.core.common.breaker.CircuitBreakingException if there is not enough
   */
  public void checkRoom(long bytes) {
    breaker.reserveWorkspace(bytes);
    breaker.releaseWorkspace(bytes);
  }

  /** Releases memory that {@link #reserve} reserved. */
  public void release(long bytes) {
    breaker.releaseWorkspace(bytes);
    resultBytes -= bytes;
  }

  /** Estimates how many buckets OpenSearch will add to fill the gaps of a histogram. */
  public static long estimateGaps(InternalAggregation histogram) {
    return new EmptyBucketEstimator().startResponse().recordHistogram(histogram);
  }

  /** Reserves memory for buckets that OpenSearch will add to fill the gaps of a histogram. */
  public void reserveGaps(long buckets, InternalAggregation histogram) {
    breaker.reserveExpectedBuckets(buckets, histogram.getType());
  }

  /** The reduction has ended: only results are left. */
  public void retainResults() {
    breaker.releaseWorkspace(objectBytes + spareBytes);
    objectBytes = 0;
    spareBytes = 0;
  }

  /** The reduction was given up, with its results. */
  public void discard() {
    retainResults();
    breaker.releaseWorkspace(resultBytes);
    breaker.discardBuckets();
    resultBytes = 0;
  }
}
