package dev.weir.core.actions.forward;

import dev.weir.core.reduce.memory.AccountedReaderFactory;
import dev.weir.core.reduce.memory.AggregationShape;
import dev.weir.core.reduce.memory.ReduceServices;
import dev.weir.core.reduce.memory.ThreadAllocationMeter;
import dev.weir.model.MemoryRejection;
import dev.weir.model.RequestMemory;
import dev.weir.model.RequestMemory.Category;
import dev.weir.protocol.RequestFrameBudget;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchResponse;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.common.io.stream.Writeable;

/**
 * Reads the response to a search that a node coordinated, and accounts for the heap of a large one:
 * for the expected bytes before it is read, for the measured ones afterwards. Reads on the
 * channel's event loop; {@link #release} is safe on any thread.
 */
final class ForwardedResponseReader implements Writeable.Reader<SearchResponse> {
  private static final String COST_KIND = "from a node:";

  private final ReduceServices services;
  private final AggregationShape shape;
  private final RequestMemory memory;
  private final AtomicLong reservedBytes = new AtomicLong();

  ForwardedResponseReader(ReduceServices services, SearchRequest search, RequestMemory memory) {
    this.services = services;
    this.shape = AggregationShape.of(search.source());
    this.memory = memory;
  }

  /**
   * {@inheritDoc}
   *
   * @throws org.opensearch.core.common.breaker.CircuitBreakingException if there is not enough
   *     memory for the objects
   */
  @Override
  public SearchResponse read(StreamInput in) throws IOException {
    int wireBytes = in.available();
    if (wireBytes < AccountedReaderFactory.LARGE_RESPONSE_BYTES) {
      return new SearchResponse(in);
    }
    String kind = COST_KIND + shape.key();
    long expected = services.costs().estimateHeapBytes(kind, wireBytes, shape.heapRatio());
    reserve(expected);
    long before = ThreadAllocationMeter.currentThreadBytes();
    SearchResponse response = new SearchResponse(in);
    long heapBytes = ThreadAllocationMeter.currentThreadBytes() - before;
    services.costs().record(kind, wireBytes, heapBytes);
    if (heapBytes > expected) {
      reserve(heapBytes - expected);
    }
    return response;
  }

  private void reserve(long bytes) {
    MemoryRejection refused = memory.reserve(Category.DECODED_RESPONSES, bytes);
    if (refused != null) {
      throw RequestFrameBudget.exception(refused);
    }
    reservedBytes.addAndGet(bytes);
  }

  /** Releases what is reserved: the response is read no more, or was not read. */
  void release() {
    memory.release(Category.DECODED_RESPONSES, reservedBytes.getAndSet(0));
  }
}
