package dev.weir.core.reduce;

import dev.weir.admission.memory.CostEstimator;
import java.io.IOException;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.search.aggregations.InternalAggregations;
import org.opensearch.search.fetch.FetchSearchResult;

/**
 * Reads what the shards of one search answer, and has it paid for what it takes as objects: large
 * answers as much as is expected of their like, before, and what they really took, after.
 */
final class AnswerReading {
  /** From this size in bytes on the wire on an answer is paid for as objects, and measured. */
  static final int LARGE = 16 << 10;

  /** Hits that are not made objects of. */
  static final String IN_PLACE = "hits in place";

  /** What to expect of hits of which nothing was learned, in bytes of heap a byte on the wire. */
  private static final double UNKNOWN_HITS = 3;

  private final ReduceServices services;
  private final RequestBreaker breaker;
  private final AggregationShape shape;
  private final HistogramFilling filling = new HistogramFilling();

  AnswerReading(ReduceServices services, RequestBreaker breaker, AggregationShape shape) {
    this.services = services;
    this.breaker = breaker;
    this.shape = shape;
  }

  /** Expands the aggregations of an answer. */
  Writeable.Reader<InternalAggregations> aggregations() {
    return in -> {
      int wire = in.available();
      if (wire < LARGE) {
        return InternalAggregations.readFrom(watched(in));
      }
      long before = AllocatedBytes.now();
      InternalAggregations read = InternalAggregations.readFrom(watched(in));
      long heap = AllocatedBytes.now() - before;
      breaker.growth().took(read, heap);
      breaker.expanded(wire, heap);
      return read;
    };
  }

  private StreamInput watched(StreamInput in) {
    return shape.swells() || shape.fillsGaps()
        ? new WatchedReading(in, services.writeables(), breaker, filling)
        : in;
  }

  /** Reads an answer whose aggregations are expanded later. */
  <R> Writeable.Reader<R> whole(Writeable.Reader<R> reader) {
    return in -> reader.read(watched(in));
  }

  /** Reads what a shard answered to the fetch phase, whose hits are to be objects. */
  Writeable.Reader<FetchSearchResult> fetched(int count) {
    return hits("hits", count, FetchSearchResult::new);
  }

  /**
   * Reads hits, or the best documents of a shard.
   *
   * @param kind what tells apart those of other costs
   * @param count how many there are at most; their size on the wire tells them apart too
   */
  <R> Writeable.Reader<R> hits(String kind, int count, Writeable.Reader<R> reader) {
    return in -> {
      int wire = in.available();
      return wire < LARGE ? reader.read(in) : large(kind, count, reader, in);
    };
  }

  private <R> R large(String kind, int count, Writeable.Reader<R> reader, StreamInput in)
      throws IOException {
    int wire = in.available();
    int each = wire / Math.max(1, count);
    String like = kind + " of " + Integer.highestOneBit(Math.max(1, each)) + "b";
    CostEstimator costs = breaker.costs();
    long expected = costs.expect(like, wire, UNKNOWN_HITS);
    breaker.takeHits(expected);
    long before = AllocatedBytes.now();
    boolean done = false;
    try {
      R read = reader.read(in);
      long heap = AllocatedBytes.now() - before;
      costs.measured(like, wire, heap);
      breaker.takeHits(heap - expected);
      done = true;
      return read;
    } finally {
      if (!done) {
        breaker.takeHits(-expected);
      }
    }
  }
}
