package dev.weir.protocol;

import org.jspecify.annotations.Nullable;
import org.opensearch.core.common.breaker.CircuitBreaker;
import org.opensearch.core.common.breaker.CircuitBreakingException;

/**
 * Pays for the memory of received frames. Asked at a frame's header, before memory is taken for it,
 * and notified when the memory is released; a compressed frame is charged again for its inflated
 * bytes. Reserved on the channel's event loop, released on any thread.
 */
public interface FrameBudget {
  /** Pays for everything. */
  FrameBudget UNLIMITED =
      new FrameBudget() {
        @Override
        public @Nullable Exception reserve(long bytes) {
          return null;
        }

        @Override
        public void release(long bytes) {}
      };

  /**
   * Takes {@code bytes}.
   *
   * @return null when they are taken; otherwise why not, such as OpenSearch's
   *     CircuitBreakingException: the frame is then skipped unread and its call fails with {@link
   *     NodeCallException.Kind#OVER_BUDGET}
   */
  @Nullable Exception reserve(long bytes);

  /** Gives back what was taken. */
  void release(long bytes);

  /**
   * Whether it pays on behalf of the client's budget too, which is then not asked for what a call
   * of this budget receives.
   */
  default boolean includesClientBudget() {
    return false;
  }

  /**
   * The exception for a frame that does not fit: what a node says when its breaker is full, which
   * clients know as status 429.
   */
  static Exception limitExceeded(long wanted, long held, long limit) {
    return new CircuitBreakingException(
        "[gateway] Data too large, data for [node answers] would be ["
            + (held + wanted)
            + "b], which is larger than the limit of ["
            + limit
            + "b]",
        wanted,
        limit,
        CircuitBreaker.Durability.TRANSIENT);
  }
}
