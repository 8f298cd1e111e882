package dev.weir.gateway.reduce;

import java.io.IOException;
import org.opensearch.core.common.breaker.CircuitBreaker;
import org.opensearch.core.common.io.stream.NamedWriteable;
import org.opensearch.core.common.io.stream.NamedWriteableAwareStreamInput;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.core.common.io.stream.StreamInput;

/**
 * An input that has the breaker look at the heap again and again while aggregations are expanded.
 *
 * <p>For those that take far more memory than bytes: a percentile's digest of a few values takes
 * some 200 bytes on the wire, and on the heap the arrays for a thousand. OpenSearch's estimate for
 * reducing it is half its bytes.
 */
final class WatchedReading extends NamedWriteableAwareStreamInput {
  /** So many digests take about a megabyte. */
  private static final int READS_A_LOOK = 32;

  private final CircuitBreaker breaker;
  private int reads;

  WatchedReading(StreamInput input, NamedWriteableRegistry registry, CircuitBreaker breaker) {
    super(input, registry);
    this.breaker = breaker;
  }

  @Override
  public <C extends NamedWriteable> C readNamedWriteable(Class<C> category, String name)
      throws IOException {
    if (++reads % READS_A_LOOK == 0) {
      breaker.addEstimateBytesAndMaybeBreak(0, "<reduce_aggs>");
    }
    return super.readNamedWriteable(category, name);
  }
}
