package dev.weir.core.reduce.memory;

import dev.weir.admission.memory.HeapBytesEstimator;
import java.io.IOException;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.search.aggregations.InternalAggregations;
import org.opensearch.search.fetch.FetchSearchResult;

/**
 * Reads what the shards of one search answer, and has it paid for what it takes as objects: large
 * answers as much as is expected of their like, before, and what they really took, after.
 */
public final class AccountedReaderFactory {
  /** From this size in bytes on the wire on an answer is paid for as objects, and measured. */
  public static final int LARGE_RESPONSE_BYTES = 16 << 10;

  /** Hits that are not made objects of. */
  public static final String IN_PLACE_HITS_KIND = "hits in place";

  /** What to expect of hits of which nothing was learned, in bytes of heap a byte on the wire. */
  private static final double DEFAULT_HITS_RATIO = 3;

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

  /** Expands the aggregations of an answer. */
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

  /** Reads an answer whose aggregations are expanded later. */
  public <R> Writeable.Reader<R> delayedAggregationsReader(Writeable.Reader<R> reader) {
    return in -> reader.read(checkBreaker(in));
  }

  /** Reads what a shard answered to the fetch phase, whose hits are to be objects. */
  public Writeable.Reader<FetchSearchResult> fetchResultReader(int count) {
    return hitsReader("hits", count, FetchSearchResult::new);
  }

  /**
   * Reads hits, or the best documents of a shard.
   *
   * @param kind what tells apart those of other costs
   * @param count how many there are at most; their size on the wire tells them apart too
   */
  public <R> Writeable.Reader<R> hitsReader(String kind, int count, Writeable.Reader<R> reader) {
    return in -> {
      int wire = in.available();
      return wire < LARGE_RESPONSE_BYTES ? reader.read(in) : readLarge(kind, count, reader, in);
    };
  }

  private <R> R readLarge(String kind, int count, Writeable.Reader<R> reader, StreamInput in)
      throws IOException {
    int wire = in.available();
    int each = wire / Math.max(1, count);
    String like = kind + " of " + Integer.highestOneBit(Math.max(1, each)) + "b";
    HeapBytesEstimator costs = breaker.costEstimator();
    long expected = costs.estimateHeapBytes(like, wire, DEFAULT_HITS_RATIO);
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
