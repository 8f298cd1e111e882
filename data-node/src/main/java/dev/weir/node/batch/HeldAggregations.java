package dev.weir.node.batch;

import java.util.Collection;
import org.opensearch.core.common.breaker.CircuitBreaker;
import org.opensearch.core.common.breaker.CircuitBreakingException;

/**
 * Accounts for the aggregations of results that wait on this node for those of other shards, in the
 * node's circuit breaker for requests. Each result is charged when it begins to wait, and released
 * once: when it is sent, or dropped. Safe on any thread.
 */
final class HeldAggregations {
  /** What the breaker's errors name. */
  static final String LABEL = "<batched_aggregations>";

  private final CircuitBreaker breaker;

  HeldAggregations(CircuitBreaker breaker) {
    this.breaker = breaker;
  }

  /**
   * Charges a result that begins to wait.
   *
   * @throws CircuitBreakingException if the node has too little memory; then nothing is charged
   */
  void charge(UnwrittenQuery query) {
    if (query.heldBytes() > 0) {
      breaker.addEstimateBytesAndMaybeBreak(query.heldBytes(), LABEL);
    }
  }

  /** Releases results that were charged; others among them have no part in it. */
  void release(Collection<BatchResult> results) {
    long bytes = 0;
    for (BatchResult result : results) {
      UnwrittenQuery query = result.query();
      bytes += query == null ? 0 : query.heldBytes();
    }
    if (bytes > 0) {
      breaker.addWithoutBreaking(-bytes);
    }
  }
}
