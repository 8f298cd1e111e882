package dev.weir.gateway.admission;

import dev.weir.admission.ConcurrencyLimiter;
import dev.weir.admission.PolicyBulkheads;

/**
 * The limits of concurrent coordinated requests. Safe on any thread.
 *
 * @param concurrency limits all requests together
 * @param bulkheads limit the requests of single policies
 * @param rejections keeps the reasons of rejections
 */
public record RequestLimits(
    ConcurrencyLimiter concurrency, PolicyBulkheads bulkheads, RejectionRecorder rejections) {
  /** Whether more than half of the permits are taken: background work pauses then. */
  public boolean isBusy() {
    return concurrency.inFlight() > concurrency.maxInFlight() / 2;
  }
}
