package dev.weir.node.compression;

import org.opensearch.core.common.breaker.CircuitBreaker;
import org.opensearch.core.common.breaker.CircuitBreakingException;

/**
 * The bytes that a request takes beyond those on the wire, in the node's circuit breaker for
 * incoming requests. OpenSearch itself counts those on the wire there, after it has undone DEFLATE.
 *
 * <p>The bytes count while the request is read, and again from the start of its handler until its
 * response. They don't count in between: a request that OpenSearch refuses there, such as one of a
 * cancelled search, ends without a call of the plugin. Immutable.
 */
record DecompressedBytes(CircuitBreaker breaker, long bytes) {
  /**
   * Counts the bytes, if there is memory for them.
   *
   * @param action what the breaker's errors name
   * @throws CircuitBreakingException if there is too little; then nothing is counted
   */
  void addOrBreak(String action) {
    if (bytes > 0) {
      breaker.addEstimateBytesAndMaybeBreak(bytes, action);
    }
  }

  /** Counts the bytes in any case. */
  void add() {
    breaker.addWithoutBreaking(bytes);
  }

  /** Counts the bytes no more. */
  void remove() {
    breaker.addWithoutBreaking(-bytes);
  }
}
