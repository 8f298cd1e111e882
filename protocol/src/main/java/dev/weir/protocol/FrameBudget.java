package dev.weir.protocol;

import dev.weir.model.RetryAdvice;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.common.breaker.CircuitBreaker;
import org.opensearch.core.common.breaker.CircuitBreakingException;

/**
 * A budget for the memory of received frames. The transport reserves a frame's memory after its
 * header and before it allocates any, and reserves more for the inflated bytes of a compressed
 * frame. Reservations happen on the channel's event loop, releases on any thread.
 */
public interface FrameBudget {
  /** A budget without a limit. */
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
   * Reserves {@code bytes}.
   *
   * @return null after a successful reservation; otherwise the reason, for example OpenSearch's
   *     CircuitBreakingException: the call then fails with {@link
   *     NodeCallException.Kind#OVER_BUDGET}, also if the node responded with an error. All but the
   *     first 2 KB of the frame are skipped; these are read without a reservation
   */
  @Nullable Exception reserve(long bytes);

  /** Reserves for a caller that can do with less: a rejection need not be counted. */
  default @Nullable Exception tryReserve(long bytes) {
    return reserve(bytes);
  }

  /** Releases reserved bytes. */
  void release(long bytes);

  /**
   * Returns true if a reservation here also counts against the client's budget; the transport then
   * reserves nothing there for the call's response.
   */
  default boolean includesClientBudget() {
    return false;
  }

  /**
   * Creates the exception for a frame over the limit: the one of a node with a full circuit
   * breaker, which clients see as status 429.
   */
  static Exception limitExceeded(long wanted, long reserved, long limit) {
    return new CircuitBreakingException(
        "[gateway] Data too large, data for [node answers] would be ["
            + (reserved + wanted)
            + "b], which is larger than the limit of ["
            + limit
            + "b]"
            + RetryAdvice.retry(Duration.ofSeconds(1), "admission.max-total-response-bytes"),
        wanted,
        limit,
        CircuitBreaker.Durability.TRANSIENT);
  }
}
