package dev.weir.gateway.reduce;

import org.opensearch.core.common.breaker.CircuitBreaker;
import org.opensearch.core.common.breaker.NoopCircuitBreaker;

/**
 * A breaker that looks at the real use of the heap and takes no estimates.
 *
 * <p>OpenSearch's consumer of shard answers estimates the size of serialized aggregations by the
 * array that they lie in. Here that is a pooled one of megabytes that many answers share, and whose
 * bytes are accounted for as frames already; so the estimates would stop searches that need a few
 * kilobytes.
 */
final class HeapCheck extends NoopCircuitBreaker {
  private final CircuitBreaker real;

  HeapCheck(CircuitBreaker real) {
    super(real.getName());
    this.real = real;
  }

  @Override
  public double addEstimateBytesAndMaybeBreak(long bytes, String label) {
    return real.addEstimateBytesAndMaybeBreak(0, label);
  }
}
