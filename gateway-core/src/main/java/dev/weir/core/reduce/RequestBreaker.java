package dev.weir.core.reduce;

import dev.weir.admission.memory.CostEstimator;
import dev.weir.model.MemoryRefusal;
import dev.weir.model.RequestMemory;
import dev.weir.model.RequestMemory.Item;
import dev.weir.protocol.RequestFrames;
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
final class RequestBreaker extends NoopCircuitBreaker {
  /** What a bucket of a histogram takes that no node sent: 40 bytes, and its place in lists. */
  static final long BUCKET_BYTES = 48;

  private final RequestMemory memory;
  private final CircuitBreaker process;
  private final CostEstimator costs;
  private final AggregationShape shape;
  private final double ratio;
  private final AggregationGrowth growth;
  private long onWire;

  /** Of aggregations that wait to be reduced, on the wire. */
  private long parked;

  /** What was taken for aggregations: for those on the wire, corrected by what was measured. */
  private long decoded;

  /** How much more than expected was made of what is there, or less. */
  private long corrected;

  private long hits;

  /** What was taken for what reductions make, and how much of it before they did. */
  private long reduction;

  private long forecast;
  private long made;
  private boolean over;

  /**
   * Makes a breaker.
   *
   * @param process looks at the heap
   * @param shape of the search's aggregations
   */
  RequestBreaker(
      RequestMemory memory, CircuitBreaker process, CostEstimator costs, AggregationShape shape) {
    super(CircuitBreaker.REQUEST);
    this.memory = memory;
    this.process = process;
    this.costs = costs;
    this.shape = shape;
    this.ratio = Math.max(1, costs.ratio(shape.key(), shape.ratio()));
    this.growth = new AggregationGrowth(shape);
  }

  /** What grew. */
  AggregationGrowth growth() {
    return growth;
  }

  @Override
  public double addEstimateBytesAndMaybeBreak(long bytes, String label)
      throws CircuitBreakingException {
    look(bytes, label);
    try {
      synchronized (this) {
        stopIfOver();
        onWire += bytes;
        try {
          settle();
        } catch (CircuitBreakingException refused) {
          onWire -= bytes;
          throw refused;
        }
      }
    } catch (CircuitBreakingException refused) {
      process.addWithoutBreaking(-bytes);
      throw refused;
    }
    return 0;
  }

  /** A reduction has ended: what it read are objects no more. */
  @Override
  public long addWithoutBreaking(long bytes) {
    process.addWithoutBreaking(bytes);
    synchronized (this) {
      onWire += bytes;
      corrected = 0;
      try {
        settle();
      } catch (CircuitBreakingException tooMuch) {
        // it is there already; the next one that asks is refused
      }
    }
    return 0;
  }

  /** Asks the process's breaker, and adds the bill to what it says. */
  private void look(long bytes, String label) {
    try {
      process.addEstimateBytesAndMaybeBreak(bytes, label);
    } catch (CircuitBreakingException full) {
      throw growth.toldWith(full);
    }
  }

  /**
   * Aggregations of so many bytes on the wire arrived, to become objects when they are reduced.
   *
   * @throws CircuitBreakingException when there is no room for them
   */
  void arrived(long bytes) {
    look(bytes, "<reduce_aggs>");
    synchronized (this) {
      try {
        stopIfOver();
        take(Item.DECODED, bytes);
        parked += bytes;
      } catch (CircuitBreakingException refused) {
        process.addWithoutBreaking(-bytes);
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
  long reducing(long bytes) {
    long more = bytes / 2;
    look(more, "<reduce_aggs>");
    synchronized (this) {
      try {
        stopIfOver();
        unpark();
        onWire += bytes + more;
        settle();
      } catch (CircuitBreakingException refused) {
        onWire = 0;
        process.addWithoutBreaking(-more);
        throw refused;
      }
    }
    return more;
  }

  private void unpark() {
    memory.giveBack(Item.DECODED, parked);
    parked = 0;
  }

  private void settle() {
    move(Math.max(0, (long) (onWire * ratio) + corrected) - decoded);
  }

  /** Takes or gives back, so that {@code decoded} changes by that. */
  private void move(long difference) {
    if (over) {
      return;
    }
    if (difference > 0) {
      take(Item.DECODED, difference);
    } else {
      memory.giveBack(Item.DECODED, -difference);
    }
    decoded += difference;
  }

  private void take(Item item, long bytes) {
    MemoryRefusal refused = memory.take(item, bytes, growth::lines);
    if (refused != null) {
      throw RequestFrames.exception(refused);
    }
  }

  /**
   * Aggregations of so many bytes on the wire took so much memory as objects.
   *
   * @throws CircuitBreakingException when that is too much
   */
  void expanded(long wireBytes, long heapBytes) {
    costs.measured(shape.key(), wireBytes, heapBytes);
    expanding(heapBytes - (long) (wireBytes * ratio));
  }

  /**
   * More than expected was made of aggregations already, or less.
   *
   * @throws CircuitBreakingException when that is too much
   */
  synchronized void expanding(long difference) {
    stopIfOver();
    long more = Math.max(difference, -decoded);
    move(more);
    corrected += more;
  }

  /**
   * Hits are to become objects.
   *
   * @throws CircuitBreakingException when that is too much
   */
  synchronized void takeHits(long bytes) {
    if (over || bytes < -hits) {
      return;
    }
    if (bytes > 0) {
      take(Item.DECODED, bytes);
    } else {
      memory.giveBack(Item.DECODED, -bytes);
    }
    hits += bytes;
  }

  /**
   * A reduction is to make buckets that no node sent; those that were expected are paid for.
   *
   * @throws CircuitBreakingException when that is too much
   */
  void makeBuckets(int buckets) {
    synchronized (this) {
      stopIfOver();
      long all = made + buckets * BUCKET_BYTES;
      long more = all - reduction;
      if (more > 0) {
        take(Item.REDUCTION, more);
        reduction += more;
      }
      made = all;
    }
    growth.made(buckets);
  }

  /** Stops a reduction that nobody waits for. */
  private void stopIfOver() {
    if (over) {
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
  void expectBuckets(long buckets, String type) {
    synchronized (this) {
      long more =
          (buckets > Long.MAX_VALUE / BUCKET_BYTES ? Long.MAX_VALUE : buckets * BUCKET_BYTES)
              - forecast;
      if (over || more <= 0) {
        return;
      }
      growth.expected(buckets, type);
      take(Item.REDUCTION, more);
      forecast += more;
      reduction += more;
    }
  }

  /** Learns of costs, and tells what to expect. */
  CostEstimator costs() {
    return costs;
  }

  /** Gives everything back that is still held; nothing more is taken. */
  synchronized void close() {
    if (!over) {
      over = true;
      memory.giveBack(Item.DECODED, parked + decoded + hits);
      parked = 0;
      memory.giveBack(Item.REDUCTION, reduction);
      decoded = 0;
      corrected = 0;
      hits = 0;
      reduction = 0;
      forecast = 0;
    }
  }

  /** What grew, for a refusal of somebody else. */
  List<String> lines() {
    return growth.lines();
  }
}
