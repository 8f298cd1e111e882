package dev.weir.core.reduce.memory;

import java.io.IOException;
import java.util.List;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.NamedWriteableAwareStreamInput;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.search.aggregations.InternalAggregation;
import org.opensearch.search.aggregations.bucket.histogram.DateHistogramAggregationBuilder;
import org.opensearch.search.aggregations.bucket.histogram.HistogramAggregationBuilder;

/**
 * An input that lets the circuit breaker check the heap repeatedly while aggregations are expanded.
 * This also works for aggregations that OpenSearch keeps as bytes and expands later ({@code
 * DelayableWriteable}): it expands them with the registry of this input, and the registry does the
 * checks.
 *
 * <p>It serves aggregations that take far more heap than bytes. A percentile digest of a few values
 * takes some 200 bytes on the wire and arrays for a thousand values on the heap, while OpenSearch's
 * estimate for reducing it is half its bytes. It also serves histograms, because the final
 * reduction fills all of their gaps at once.
 */
final class BreakerCheckingStreamInput extends NamedWriteableAwareStreamInput {
  BreakerCheckingStreamInput(
      StreamInput input,
      NamedWriteableRegistry registry,
      SearchCircuitBreaker breaker,
      EmptyBucketEstimator filling) {
    this(
        input,
        new BreakerCheckingRegistry(
            registry,
            breaker,
            filling,
            () -> breaker.addEstimateBytesAndMaybeBreak(0, "<reduce_aggs>")));
  }

  BreakerCheckingStreamInput(StreamInput input, BreakerCheckingRegistry registry) {
    super(input, registry);
  }

  /** Documents stay slices of the reply frame. */
  @Override
  public BytesReference readBytesReference(int length) throws IOException {
    return delegate.readBytesReference(length);
  }

  @Override
  public int readInt() throws IOException {
    return delegate.readInt();
  }

  @Override
  public long readLong() throws IOException {
    return delegate.readLong();
  }

  @Override
  public int readVInt() throws IOException {
    return delegate.readVInt();
  }

  @Override
  public long readVLong() throws IOException {
    return delegate.readVLong();
  }

  @Override
  public String readString() throws IOException {
    return delegate.readString();
  }

  /** The registry of one shard result; used by one thread at a time. */
  static final class BreakerCheckingRegistry extends NamedWriteableRegistry {
    /** This many digests take about a megabyte. */
    private static final int READS_PER_CHECK = 32;

    private final NamedWriteableRegistry delegate;
    private final SearchCircuitBreaker breaker;
    private final Runnable heapCheck;
    private EmptyBucketEstimator.ResponseEstimate emptyBuckets;
    private int reads;

    /**
     * Creates a registry.
     *
     * @param heapCheck throws if there is too little memory to read on
     */
    BreakerCheckingRegistry(
        NamedWriteableRegistry all,
        SearchCircuitBreaker breaker,
        EmptyBucketEstimator filling,
        Runnable heapCheck) {
      super(List.of());
      this.delegate = all;
      this.breaker = breaker;
      this.emptyBuckets = filling.startResponse();
      this.heapCheck = heapCheck;
    }

    /** What is read from now on belongs to another result than before. */
    void startResponse(EmptyBucketEstimator filling) {
      emptyBuckets = filling.startResponse();
    }

    @Override
    public <T> Writeable.Reader<? extends T> getReader(Class<T> category, String name) {
      if (++reads % READS_PER_CHECK == 0) {
        heapCheck.run();
      }
      Writeable.Reader<? extends T> reader = delegate.getReader(category, name);
      boolean filled =
          category == InternalAggregation.class
              && (name.equals(DateHistogramAggregationBuilder.NAME)
                  || name.equals(HistogramAggregationBuilder.NAME));
      return filled ? in -> recordHistogram(reader.read(in)) : reader;
    }

    private <T> T recordHistogram(T read) {
      if (read instanceof InternalAggregation histogram) {
        breaker.reserveExpectedBuckets(
            emptyBuckets.recordHistogram(histogram), histogram.getType());
      }
      return read;
    }
  }
}
