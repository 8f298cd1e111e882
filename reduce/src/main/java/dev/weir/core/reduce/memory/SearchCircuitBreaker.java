package dev.weir.core.reduce.memory;

import dev.weir.admission.memory.HeapBytesEstimator;
import dev.weir.model.MemoryRejection;
import dev.weir.model.RequestMemory;
import dev.weir.model.RequestMemory.Category;
import dev.weir.protocol.RequestFrameBudget;
import java.util.List;
import org.opensearch.core.common.breaker.CircuitBreaker;
import org.opensearch.core.common.breaker.CircuitBreakingException;
import org.opensearch.core.common.breaker.NoopCircuitBreaker;

/**
 * The circuit breaker of one search. It reserves request memory for shard results as objects and
 * for what reductions create, and lets the breaker of the process check the real use of the heap.
 * Safe on any thread.
 *
 * <p>OpenSearch accounts for aggregations by their bytes on the wire, from their arrival until the
 * search ends, plus half of them during a reduction. A reduction creates objects of all of them, so
 * this breaker reserves a learned multiple of the bytes; once the objects are measured it also
 * reserves the difference, until that reduction has ended. (A reduction first expands all of its
 * inputs and then asks for the memory of its result.)
 */
public final class SearchCircuitBreaker extends NoopCircuitBreaker {
  /** Heap bytes of an empty histogram bucket: 40, plus its references in lists. */
  static final long BUCKET_BYTES = 48;

  private final RequestMemory memory;
  private final CircuitBreaker parentBreaker;
  private final HeapBytesEstimator costEstimator;
  private final AggregationShape shape;
  private final double ratio;
  private final AggregationSizeTracker sizeTracker;
  private long wireBytes;

  /** Bytes on the wire of aggregations that wait for their reduction. */
  private long pendingBytes;

  /** Bytes reserved for aggregations: those on the wire, corrected by measurements. */
  private long accountedBytes;

  /** Measured minus expected bytes of the current objects; may be negative. */
  private long correctionBytes;

  private long hitBytes;

  /**
   * Bytes reserved for the results of reductions, and how many of them before the results existed.
   */
  private long reductionBytes;

  private long forecastBytes;
  private long bucketBytes;

  /** Bytes reserved for a reduction that goes bucket by bucket, and for further searches. */
  private long workspaceBytes;

  private boolean isClosed;

  /**
   * Creates a breaker.
   *
   * @param process checks the heap
   * @param shape the shape of the search's aggregations
   */
  SearchCircuitBreaker(
      RequestMemory memory,
      CircuitBreaker process,
      HeapBytesEstimator costs,
      AggregationShape shape) {
    super(CircuitBreaker.REQUEST);
    this.memory = memory;
    this.parentBreaker = process;
    this.costEstimator = costs;
    this.shape = shape;
    this.ratio = Math.max(1, costs.estimateRatio(shape.key(), shape.heapRatio()));
    this.sizeTracker = new AggregationSizeTracker(shape);
  }

  /** Returns the tracker of aggregation sizes. */
  AggregationSizeTracker sizeTracker() {
    return sizeTracker;
  }

  @Override
  public double addEstimateBytesAndMaybeBreak(long bytes, String label)
      throws CircuitBreakingException {
    checkParent(bytes, label);
    try {
      synchronized (this) {
        throwIfClosed();
        wireBytes += bytes;
        try {
          adjustReservation();
        } catch (CircuitBreakingException refused) {
          wireBytes -= bytes;
          throw refused;
        }
      }
    } catch (CircuitBreakingException refused) {
      parentBreaker.addWithoutBreaking(-bytes);
      throw refused;
    }
    return 0;
  }

  /** A reduction has ended: its input objects are garbage. */
  @Override
  public long addWithoutBreaking(long bytes) {
    parentBreaker.addWithoutBreaking(bytes);
    synchronized (this) {
      wireBytes += bytes;
      correctionBytes = 0;
      try {
        adjustReservation();
      } catch (CircuitBreakingException tooMuch) {
        // the memory is in use already; the next reservation is refused
      }
    }
    return 0;
  }

  /** Asks the breaker of the process, and adds the memory bill to its message. */
  private void checkParent(long bytes, String label) {
    try {
      parentBreaker.addEstimateBytesAndMaybeBreak(bytes, label);
    } catch (CircuitBreakingException full) {
      throw sizeTracker.withDetails(full);
    }
  }

  /**
   * Aggregations of this size on the wire arrived; their reduction will create objects.
   *
   * @throws CircuitBreakingException if there is not enough memory for the objects
   */
  public void addPendingAggregations(long bytes) {
    checkParent(bytes, "<reduce_aggs>");
    synchronized (this) {
      try {
        throwIfClosed();
        reserve(Category.DECODED_RESPONSES, bytes);
        pendingBytes += bytes;
      } catch (CircuitBreakingException refused) {
        parentBreaker.addWithoutBreaking(-bytes);
        throw refused;
      }
    }
  }

  /**
   * The pending aggregations, of this size on the wire, are expanded and reduced now. Reserves half
   * of it for the result, as OpenSearch does.
   *
   * @return the bytes reserved for the result
   * @throws CircuitBreakingException if there is not enough memory
   */
  public long startReduction(long bytes) {
    long more = bytes / 2;
    checkParent(more, "<reduce_aggs>");
    synchronized (this) {
      try {
        throwIfClosed();
        releasePending();
        wireBytes += bytes + more;
        adjustReservation();
      } catch (CircuitBreakingException refused) {
        wireBytes = 0;
        parentBreaker.addWithoutBreaking(-more);
        throw refused;
      }
    }
    return more;
  }

  private void releasePending() {
    memory.release(Category.DECODED_RESPONSES, pendingBytes);
    pendingBytes = 0;
  }

  private void adjustReservation() {
    reserveDifference(Math.max(0, (long) (wireBytes * ratio) + correctionBytes) - accountedBytes);
  }

  /** Reserves or releases the difference. */
  private void reserveDifference(long difference) {
    if (isClosed) {
      return;
    }
    if (difference > 0) {
      reserve(Category.DECODED_RESPONSES, difference);
    } else {
      memory.release(Category.DECODED_RESPONSES, -difference);
    }
    accountedBytes += difference;
  }

  private void reserve(Category item, long bytes) {
    MemoryRejection refused = memory.reserve(item, bytes, sizeTracker::describe);
    if (refused != null) {
      throw RequestFrameBudget.exception(refused);
    }
  }

  /**
   * Records the measured heap of aggregations.
   *
   * @throws CircuitBreakingException if it exceeds the memory that is left
   */
  public void recordExpanded(long wireBytes, long heapBytes) {
    costEstimator.record(shape.key(), wireBytes, heapBytes);
    correctReservation(heapBytes - (long) (wireBytes * ratio));
  }

  /**
   * Adjusts the reservation to the measured heap.
   *
   * @throws CircuitBreakingException if it exceeds the memory that is left
   */
  public synchronized void correctReservation(long difference) {
    throwIfClosed();
    long more = Math.max(difference, -accountedBytes);
    reserveDifference(more);
    correctionBytes += more;
  }

  /**
   * Reserves memory for hits that become objects.
   *
   * @throws CircuitBreakingException if there is not enough memory
   */
  synchronized void reserveHits(long bytes) {
    if (isClosed || bytes < -hitBytes) {
      return;
    }
    if (bytes > 0) {
      reserve(Category.DECODED_RESPONSES, bytes);
    } else {
      memory.release(Category.DECODED_RESPONSES, -bytes);
    }
    hitBytes += bytes;
  }

  /**
   * Reserves memory for buckets that no node sent, as far as they exceed the expected ones.
   *
   * @throws CircuitBreakingException if there is not enough memory
   */
  public void reserveBuckets(int buckets) {
    synchronized (this) {
      throwIfClosed();
      long all = bucketBytes + buckets * BUCKET_BYTES;
      long more = all - reductionBytes;
      if (more > 0) {
        reserve(Category.REDUCTION, more);
        reductionBytes += more;
      }
      bucketBytes = all;
    }
    sizeTracker.recordBuckets(buckets);
  }

  /** Stops a reduction whose search has ended. */
  private void throwIfClosed() {
    if (isClosed) {
      throw new CircuitBreakingException(
          "the search was given up (expected: one under way)", Durability.TRANSIENT);
    }
  }

  /**
   * Reserves memory for the buckets that the final reduction will add at once.
   *
   * @param type the type of their aggregation
   * @throws CircuitBreakingException if there is not enough memory
   */
  void reserveExpectedBuckets(long buckets, String type) {
    synchronized (this) {
      long more =
          (buckets > Long.MAX_VALUE / BUCKET_BYTES ? Long.MAX_VALUE : buckets * BUCKET_BYTES)
              - forecastBytes;
      if (isClosed || more <= 0) {
        return;
      }
      sizeTracker.recordExpectedBuckets(buckets, type);
      reserve(Category.REDUCTION, more);
      forecastBytes += more;
      reductionBytes += more;
    }
  }

  /** Creates the memory account of a reduction that goes bucket by bucket. */
  public ReductionWorkspace createWorkspace() {
    return new ReductionWorkspace(this);
  }

  /**
   * Reserves memory for a reduction that goes bucket by bucket.
   *
   * @throws CircuitBreakingException if there is not enough memory
   */
  void reserveWorkspace(long bytes) {
    reserveWorkspace(bytes, "<reduce_aggs>");
  }

  /**
   * Reserves memory for the searches for the inner hits of collapsed hits.
   *
   * @throws CircuitBreakingException if there is not enough memory
   */
  public void reserveInnerHits(long bytes) {
    reserveWorkspace(bytes, "<inner_hits>");
  }

  private void reserveWorkspace(long bytes, String label) {
    checkParent(0, label);
    synchronized (this) {
      throwIfClosed();
      reserve(Category.DECODED_RESPONSES, bytes);
      workspaceBytes += bytes;
    }
  }

  /** Releases memory of a reduction that goes bucket by bucket. */
  synchronized void releaseWorkspace(long bytes) {
    if (!isClosed) {
      memory.release(Category.DECODED_RESPONSES, bytes);
      workspaceBytes -= bytes;
    }
  }

  /** Releases what is reserved for buckets that no node sent. */
  synchronized void discardBuckets() {
    if (!isClosed) {
      memory.release(Category.REDUCTION, reductionBytes);
      reductionBytes = 0;
      forecastBytes = 0;
      bucketBytes = 0;
    }
  }

  /** Returns the estimator that learns costs. */
  HeapBytesEstimator costEstimator() {
    return costEstimator;
  }

  /** Releases everything that is still reserved; later reservations fail. */
  public synchronized void close() {
    if (!isClosed) {
      isClosed = true;
      memory.release(
          Category.DECODED_RESPONSES, pendingBytes + accountedBytes + hitBytes + workspaceBytes);
      pendingBytes = 0;
      memory.release(Category.REDUCTION, reductionBytes);
      workspaceBytes = 0;
      accountedBytes = 0;
      correctionBytes = 0;
      hitBytes = 0;
      reductionBytes = 0;
      forecastBytes = 0;
    }
  }

  /** Describes what grew, for the rejection of another request. */
  public List<String> describeSizes() {
    return sizeTracker.describe();
  }
}
