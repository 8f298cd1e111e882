package dev.weir.core.actions.forward;

import dev.weir.rest.PassThroughReasons;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;

/** Counts the searches of multi-searches that nodes coordinate. Safe on any thread. */
public final class ForwardedSearchCounts {
  /** The reasons for which a search is forwarded. */
  static final List<String> REASONS =
      List.of(PassThroughReasons.SCRIPT, PassThroughReasons.CROSS_CLUSTER);

  private final Map<String, LongAdder> byReason =
      REASONS.stream()
          .collect(Collectors.toUnmodifiableMap(reason -> reason, _ -> new LongAdder()));
  private final LongAdder retries = new LongAdder();
  private final LongAdder fallbacks = new LongAdder();

  void recordSearch(String reason) {
    LongAdder adder = byReason.get(reason);
    if (adder != null) {
      adder.increment();
    }
  }

  void recordRetry() {
    retries.increment();
  }

  void recordFallback() {
    fallbacks.increment();
  }

  /** Searches sent to a node for this reason. */
  long searches(String reason) {
    LongAdder adder = byReason.get(reason);
    return adder == null ? 0 : adder.sum();
  }

  /** Searches sent to one more node. */
  long retries() {
    return retries.sum();
  }

  /** Multi-searches that passed through as a whole after all. */
  long fallbacks() {
    return fallbacks.sum();
  }
}
