package dev.weir.core.reduce.memory;

import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.RequestFrameBudget;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.common.breaker.CircuitBreakingException;

/**
 * Whether a search was refused memory, which ends it as a whole: what the answers of some shards
 * come to without the others is not what was asked for. Confined to the request's event loop.
 */
public final class MemoryRejectionTracker {
  private final Supplier<List<String>> aggregationSizes;
  private Consumer<Exception> listener = why -> {};
  private @Nullable Exception rejection;

  /**
   * Creates one. *
   *
   * @param growth what grew, for people
   */
  public MemoryRejectionTracker(Supplier<List<String>> growth) {
    this.aggregationSizes = growth;
  }

  /** Says who hears of the first refusal. */
  public void setListener(Consumer<Exception> heard) {
    listener = heard;
  }

  /** Looks at the failure of a call: whether there was no room for its answer. */
  public void inspect(Exception failure) {
    if (failure instanceof NodeCallException sending
        && sending.kind() == NodeCallException.Kind.OVER_BUDGET) {
      recordRejection(sending.exception());
    }
  }

  /** There was no room for something; the first time counts. */
  public void recordRejection(Exception refused) {
    if (rejection != null) {
      return;
    }
    if (refused instanceof CircuitBreakingException told
        && told.getMetadata(RequestFrameBudget.GROWTH) == null
        && !aggregationSizes.get().isEmpty()) {
      told.addMetadata(RequestFrameBudget.GROWTH, aggregationSizes.get());
    }
    rejection = refused;
    listener.accept(refused);
  }

  /** Why there was no room; null while there is. */
  public @Nullable Exception rejection() {
    return rejection;
  }
}
