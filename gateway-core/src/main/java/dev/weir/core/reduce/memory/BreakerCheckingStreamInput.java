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
 * An input that has the breaker look at the heap again and again while aggregations are expanded,
 * also when OpenSearch keeps them as bytes ({@code DelayableWriteable}) and expands them later: it
 * does so with the registry of this input, which is what looks.
 *
 * <p>For those that take far more memory than bytes: a percentile's digest of a few values takes
 * some 200 bytes on the wire, and on the heap the arrays for a thousand; OpenSearch's estimate for
 * reducing it is half its bytes. And for histograms, whose gaps the final reduction fills at one
 * go.
 */
final class BreakerCheckingStreamInput extends NamedWriteableAwareStreamInput {
  BreakerCheckingStreamInput(
      StreamInput input,
      NamedWriteableRegistry registry,
      SearchCircuitBreaker breaker,
      EmptyBucketEstimator filling) {
    super(input, new BreakerCheckingRegistry(registry, breaker, filling.startResponse()));
  }

  /** Documents stay slices of the received frame. */
  @Override
  public BytesReference readBytesReference(int length) throws IOException {
    return delegate.readBytesReference(length);
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

  /** The registry of one answer; used by one thread at a time. */
  private static final class BreakerCheckingRegistry extends NamedWriteableRegistry {
    /** So many digests take about a megabyte. */
    private static final int READS_PER_CHECK = 32;

    private final NamedWriteableRegistry delegate;
    private final SearchCircuitBreaker breaker;
    private final EmptyBucketEstimator.ResponseEstimate emptyBuckets;
    private int reads;

    BreakerCheckingRegistry(
        NamedWriteableRegistry all,
        SearchCircuitBreaker breaker,
        EmptyBucketEstimator.ResponseEstimate filling) {
      super(List.of());
      this.delegate = all;
      this.breaker = breaker;
      this.emptyBuckets = filling;
    }

    @Override
    public <T> Writeable.Reader<? extends T> getReader(Class<T> category, String name) {
      if (++reads % READS_PER_CHECK == 0) {
        breaker.addEstimateBytesAndMaybeBreak(0, "<reduce_aggs>");
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
