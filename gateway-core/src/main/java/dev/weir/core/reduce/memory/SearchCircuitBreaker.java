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
 * The breaker of one search: pays out of the request's memory for its answers as objects and for
 * what its reductions make, and has the process's own breaker look at the real use of the heap.
 * Safe on any thread.
 *
 * <p>OpenSearch accounts for aggregations by their bytes on the wire, from when they arrive until
 * the search ends, with half of them on top while they are reduced. A reduction makes objects of
 * all of them, so a multiple of that is taken then, which is learned; where what they took was
 * measured, the difference is taken too, until the reduction that it was part of has ended. (A
 * reduction expands all of its answers, and then asks for what it makes of them.)
 */
public final class SearchCircuitBreaker extends NoopCircuitBreaker {
  /** What a bucket of a histogram takes that no node sent: 40 bytes, and its place in lists. */
  static final long BUCKET_BYTES = 48;

  private final RequestMemory memory;
  private final CircuitBreaker parentBreaker;
  private final HeapBytesEstimator costEstimator;
  private final AggregationShape shape;
  private final double ratio;
  private final AggregationSizeTracker sizeTracker;
  private long wireBytes;

  /** Of aggregations that wait to be reduced, on the wire. */
  private long pendingBytes;

  /** What was taken for aggregations: for those on the wire, corrected by what was measured. */
  private long accountedBytes;

  /** How much more than expected was made of what is there, or less. */
  private long correctionBytes;

  private long hitBytes;

  /** What was taken for what reductions make, and how much of it before they did. */
  private long reductionBytes;

  private long forecastBytes;
  private long bucketBytes;
  private boolean isClosed;

  /**
   * Makes a breaker.
   *
   * @param process looks at the heap
   * @param shape of the search's aggregations
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

  /** What grew. */
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

  /** A reduction has ended: what it read are objects no more. */
  @Override
  public long addWithoutBreaking(long bytes) {
    parentBreaker.addWithoutBreaking(bytes);
    synchronized (this) {
      wireBytes += bytes;
      correctionBytes = 0;
      try {
        adjustReservation();
      } catch (CircuitBreakingException tooMuch) {
        // it is there already; the next one that asks is refused
      }
    }
    return 0;
  }

  /** Asks the process's breaker, and adds the bill to what it says. */
  private void checkParent(long bytes, String label) {
    try {
      parentBreaker.addEstimateBytesAndMaybeBreak(bytes, label);
    } catch (CircuitBreakingException full) {
      throw sizeTracker.withDetails(full);
    }
  }

  /**
   * Aggregations of so many bytes on the wire arrived, to become objects when they are reduced.
   *
   * @throws CircuitBreakingException when there is no room for them
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
   * Those that arrived, so many bytes in all, are made objects of and reduced now; half of them on
   * top for the result, as OpenSearch has it.
   *
   * @return how many bytes that is on top
   * @throws CircuitBreakingException when there is no room for that
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

  /** Takes or gives back, so that {@code decoded} changes by that. */
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
   * Aggregations of so many bytes on the wire took so much memory as objects.
   *
   * @throws CircuitBreakingException when that is too much
   */
  public void recordExpanded(long wireBytes, long heapBytes) {
    costEstimator.record(shape.key(), wireBytes, heapBytes);
    correctReservation(heapBytes - (long) (wireBytes * ratio));
  }

  /**
   * More than expected was made of aggregations already, or less.
   *
   * @throws CircuitBreakingException when that is too much
   */
  public synchronized void correctReservation(long difference) {
    throwIfClosed();
    long more = Math.max(difference, -accountedBytes);
    reserveDifference(more);
    correctionBytes += more;
  }

  /**
   * Hits are to become objects.
   *
   * @throws CircuitBreakingException when that is too much
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
   * A reduction is to make buckets that no node sent; those that were expected are paid for.
   *
   * @throws CircuitBreakingException when that is too much
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

  /** Stops a reduction that nobody waits for. */
  private void throwIfClosed() {
    if (isClosed) {
      throw new CircuitBreakingException(
          "the search was given up (expected: one under way)", Durability.TRANSIENT);
    }
  }

  /**
   * The final reduction will make so many buckets that no node sent, all at once.
   *
   * @param type of the aggregation that says so
   * @throws CircuitBreakingException when that is too much
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

  /** Learns of costs, and tells what to expect. */
  HeapBytesEstimator costEstimator() {
    return costEstimator;
  }

  /** Gives everything back that is still held; nothing more is taken. */
  public synchronized void close() {
    if (!isClosed) {
      isClosed = true;
      memory.release(Category.DECODED_RESPONSES, pendingBytes + accountedBytes + hitBytes);
      pendingBytes = 0;
      memory.release(Category.REDUCTION, reductionBytes);
      accountedBytes = 0;
      correctionBytes = 0;
      hitBytes = 0;
      reductionBytes = 0;
      forecastBytes = 0;
    }
  }

  /** What grew, for a refusal of somebody else. */
  public List<String> describeSizes() {
    return sizeTracker.describe();
  }
}
