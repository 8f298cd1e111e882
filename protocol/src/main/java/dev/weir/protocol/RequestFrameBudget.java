package dev.weir.protocol;

import dev.weir.model.MemoryRejection;
import dev.weir.model.RequestMemory;
import dev.weir.model.RequestMemory.Category;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.common.breaker.CircuitBreaker;
import org.opensearch.core.common.breaker.CircuitBreakingException;

/**
 * The frame budget of one request. Its memory is a part of what the client's own budget covers.
 * Safe on any thread.
 */
public record RequestFrameBudget(RequestMemory memory) implements FrameBudget {
  /** The error detail with the request's memory bill. */
  public static final String BILL = "opensearch.breakdown";

  /** The error detail with the item that grew last. */
  public static final String GROWTH = "opensearch.growth";

  /** Returns the budget of a request; null for a request without a memory limit. */
  public static @Nullable FrameBudget of(RequestMemory memory) {
    return memory.isBounded() ? new RequestFrameBudget(memory) : null;
  }

  @Override
  public @Nullable Exception reserve(long bytes) {
    MemoryRejection rejection = memory.reserve(Category.NODE_RESPONSES, bytes);
    return rejection == null ? null : exception(rejection);
  }

  @Override
  public @Nullable Exception tryReserve(long bytes) {
    MemoryRejection rejection = memory.tryReserve(Category.NODE_RESPONSES, bytes);
    return rejection == null ? null : exception(rejection);
  }

  @Override
  public void release(long bytes) {
    memory.release(Category.NODE_RESPONSES, bytes);
  }

  @Override
  public boolean includesClientBudget() {
    return true;
  }

  /** Creates the client's error: a node's exception, with the memory bill among its details. */
  public static CircuitBreakingException exception(MemoryRejection rejection) {
    CircuitBreakingException exception =
        new CircuitBreakingException(
            rejection.message(),
            rejection.resultingBytes(),
            rejection.limitBytes(),
            rejection.permanent()
                ? CircuitBreaker.Durability.PERMANENT
                : CircuitBreaker.Durability.TRANSIENT);
    if (!rejection.bill().isEmpty()) {
      exception.addMetadata(BILL, rejection.bill());
    }
    if (!rejection.growth().isEmpty()) {
      exception.addMetadata(GROWTH, rejection.growth());
    }
    return exception;
  }
}
