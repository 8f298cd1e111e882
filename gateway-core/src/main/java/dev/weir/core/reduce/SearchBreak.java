package dev.weir.core.reduce;

import dev.weir.protocol.NodeFailure;
import dev.weir.protocol.RequestFrames;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.common.breaker.CircuitBreakingException;

/**
 * Whether a search was refused memory, which ends it as a whole: what the answers of some shards
 * come to without the others is not what was asked for. Confined to the request's home.
 */
final class SearchBreak {
  private final Supplier<List<String>> growth;
  private Consumer<Exception> first = why -> {};
  private @Nullable Exception why;

  /**
   * Makes one.
   *
   * @param growth what grew, for people
   */
  SearchBreak(Supplier<List<String>> growth) {
    this.growth = growth;
  }

  /** Says who hears of the first refusal. */
  void onFirst(Consumer<Exception> heard) {
    first = heard;
  }

  /** Looks at the failure of a call: whether there was no room for its answer. */
  void sees(Exception failure) {
    if (failure instanceof NodeFailure sending && sending.kind() == NodeFailure.Kind.OVER_BUDGET) {
      broke(sending.exception());
    }
  }

  /** There was no room for something; the first time counts. */
  void broke(Exception refused) {
    if (why != null) {
      return;
    }
    if (refused instanceof CircuitBreakingException told
        && told.getMetadata(RequestFrames.GROWTH) == null
        && !growth.get().isEmpty()) {
      told.addMetadata(RequestFrames.GROWTH, growth.get());
    }
    why = refused;
    first.accept(refused);
  }

  /** Why there was no room; null while there is. */
  @Nullable Exception why() {
    return why;
  }
}
