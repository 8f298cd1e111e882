package dev.weir.core.reduce.memory;

import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.RequestFrameBudget;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.common.breaker.CircuitBreakingException;

/**
 * Records whether a search was refused memory. This fails the whole search, because the results of
 * a part of the shards would be wrong. Confined to the request's event loop.
 */
public final class MemoryRejectionTracker {
  private final Supplier<List<String>> aggregationSizes;
  private Consumer<Exception> listener = why -> {};
  private @Nullable Exception rejection;

  /**
   * Creates a tracker.
   *
   * @param growth describes for people what grew
   */
  public MemoryRejectionTracker(Supplier<List<String>> growth) {
    this.aggregationSizes = growth;
  }

  /** Sets the listener of the first rejection. */
  public void setListener(Consumer<Exception> onRejection) {
    listener = onRejection;
  }

  /** Checks whether a call failed because there was no memory for its response. */
  public void inspect(Exception failure) {
    if (failure instanceof NodeCallException sending
        && sending.kind() == NodeCallException.Kind.OVER_BUDGET) {
      recordRejection(sending.exception());
    }
  }

  /** Records a rejection; only the first one counts. */
  public void recordRejection(Exception refused) {
    if (rejection != null) {
      return;
    }
    if (refused instanceof CircuitBreakingException breaking
        && breaking.getMetadata(RequestFrameBudget.GROWTH) == null
        && !aggregationSizes.get().isEmpty()) {
      breaking.addMetadata(RequestFrameBudget.GROWTH, aggregationSizes.get());
    }
    rejection = refused;
    listener.accept(refused);
  }

  /** Returns why memory was refused; null if it was not. */
  public @Nullable Exception rejection() {
    return rejection;
  }
}
