package dev.weir.core.reduce.memory;

import dev.weir.admission.memory.HeapBytesEstimator;
import java.io.IOException;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.search.aggregations.InternalAggregations;
import org.opensearch.search.fetch.FetchSearchResult;

/**
 * Creates the readers of a search's shard results. They account for the heap that the results take
 * as objects: for a large result the expected bytes before it is read, and the measured bytes
 * afterwards.
 */
public final class AccountedReaderFactory {
  /** From this size on the wire, in bytes, a result is accounted for as objects and measured. */
  public static final int LARGE_RESPONSE_BYTES = 16 << 10;

  /** The cost kind of hits that stay in their frame. */
  public static final String IN_PLACE_HITS_KIND = "hits in place";

  /** Expected heap bytes per byte on the wire for hits of a kind that was not measured yet. */
  public static final double DEFAULT_HITS_RATIO = 3;

  private final ReduceServices services;
  private final SearchCircuitBreaker breaker;
  private final AggregationShape shape;
  private final EmptyBucketEstimator emptyBuckets = new EmptyBucketEstimator();

  public AccountedReaderFactory(
      ReduceServices services, SearchCircuitBreaker breaker, AggregationShape shape) {
    this.services = services;
    this.breaker = breaker;
    this.shape = shape;
  }

  /** Returns the reader that expands the aggregations of a result. */
  public Writeable.Reader<InternalAggregations> aggregationsReader() {
    return in -> {
      int wire = in.available();
      if (wire < LARGE_RESPONSE_BYTES) {
        return InternalAggregations.readFrom(checkBreaker(in));
      }
      long before = ThreadAllocationMeter.currentThreadBytes();
      InternalAggregations read = InternalAggregations.readFrom(checkBreaker(in));
      long heap = ThreadAllocationMeter.currentThreadBytes() - before;
      breaker.sizeTracker().recordResponse(read, heap);
      breaker.recordExpanded(wire, heap);
      return read;
    };
  }

  private StreamInput checkBreaker(StreamInput in) {
    return shape.canAmplifyMemory() || shape.hasGapFilling()
        ? new BreakerCheckingStreamInput(in, services.namedWriteables(), breaker, emptyBuckets)
        : in;
  }

  /** Returns a reader of a result whose aggregations are expanded later. */
  public <R> Writeable.Reader<R> delayedAggregationsReader(Writeable.Reader<R> reader) {
    return in -> reader.read(checkBreaker(in));
  }

  /** Returns the reader of a fetch result whose hits become objects. */
  public Writeable.Reader<FetchSearchResult> fetchResultReader(int count) {
    return hitsReader("hits", count, FetchSearchResult::new);
  }

  /**
   * Returns a reader of hits, or of a shard's top documents.
   *
   * @param kind separates results of different cost
   * @param count the largest number of them; costs are learned separately by size, too
   */
  public <R> Writeable.Reader<R> hitsReader(String kind, int count, Writeable.Reader<R> reader) {
    return in -> {
      int wire = in.available();
      if (wire < LARGE_RESPONSE_BYTES) {
        return reader.read(in);
      }
      int each = wire / Math.max(1, count);
      String like = kind + " of " + Integer.highestOneBit(Math.max(1, each)) + "b";
      return readLarge(like, DEFAULT_HITS_RATIO, Double.MAX_VALUE, reader, in);
    };
  }

  /**
   * Returns a reader of a scroll's page, of which only the node knows the largest number of hits.
   * So all pages share the costs of their kind. As those of small hits, or of the first page after
   * a start, may be far above those of this page, it is refused beforehand only for a usual cost: a
   * page that was refused is lost to the client.
   *
   * @param kind separates pages of different cost
   * @param defaultRatio expected heap bytes per byte on the wire until a page was measured
   */
  public <R> Writeable.Reader<R> scrollPageReader(
      String kind, double defaultRatio, Writeable.Reader<R> reader) {
    return in ->
        in.available() < LARGE_RESPONSE_BYTES
            ? reader.read(in)
            : readLarge(kind, defaultRatio, DEFAULT_HITS_RATIO, reader, in);
  }

  /**
   * Reads what is not small.
   *
   * @param maxRatio the most heap bytes per byte on the wire that are reserved before; what they
   *     really are is reserved after
   */
  private <R> R readLarge(
      String like, double defaultRatio, double maxRatio, Writeable.Reader<R> reader, StreamInput in)
      throws IOException {
    int wire = in.available();
    HeapBytesEstimator costs = breaker.costEstimator();
    long expected =
        Math.min(costs.estimateHeapBytes(like, wire, defaultRatio), (long) (maxRatio * wire));
    breaker.reserveHits(expected);
    long before = ThreadAllocationMeter.currentThreadBytes();
    boolean done = false;
    try {
      R read = reader.read(in);
      long heap = ThreadAllocationMeter.currentThreadBytes() - before;
      costs.record(like, wire, heap);
      breaker.reserveHits(heap - expected);
      done = true;
      return read;
    } finally {
      if (!done) {
        breaker.reserveHits(-expected);
      }
    }
  }
}
