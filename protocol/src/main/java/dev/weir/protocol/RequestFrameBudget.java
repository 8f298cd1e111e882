package dev.weir.protocol;

import dev.weir.model.MemoryRejection;
import dev.weir.model.RequestMemory;
import dev.weir.model.RequestMemory.Category;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.common.breaker.CircuitBreaker;
import org.opensearch.core.common.breaker.CircuitBreakingException;

/**
 * The memory of the answers to one request, paid for by that request, whose memory is a part of
 * what the client's own budget pays for. Safe on any thread.
 */
public record RequestFrameBudget(RequestMemory memory) implements FrameBudget {
  /** Name of the detail of an error that says what a request holds. */
  public static final String BILL = "opensearch.breakdown";

  /** Name of the detail of an error that says what grew. */
  public static final String GROWTH = "opensearch.growth";

  /** The budget of a request's answers; null for a request without a memory limit. */
  public static @Nullable FrameBudget of(RequestMemory memory) {
    return memory.isBounded() ? new RequestFrameBudget(memory) : null;
  }

  @Override
  public @Nullable Exception reserve(long bytes) {
    MemoryRejection refused = memory.reserve(Category.NODE_RESPONSES, bytes);
    return refused == null ? null : exception(refused);
  }

  @Override
  public void release(long bytes) {
    memory.release(Category.NODE_RESPONSES, bytes);
  }

  @Override
  public boolean includesClientBudget() {
    return true;
  }

  /** The error for the client: a node's exception, with the memory bill among its details. */
  public static CircuitBreakingException exception(MemoryRejection refused) {
    CircuitBreakingException exception =
        new CircuitBreakingException(
            refused.message(),
            refused.resultingBytes(),
            refused.limitBytes(),
            refused.permanent()
                ? CircuitBreaker.Durability.PERMANENT
                : CircuitBreaker.Durability.TRANSIENT);
    if (!refused.bill().isEmpty()) {
      exception.addMetadata(BILL, refused.bill());
    }
    if (!refused.growth().isEmpty()) {
      exception.addMetadata(GROWTH, refused.growth());
    }
    return exception;
  }
}
