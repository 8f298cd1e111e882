package dev.weir.gateway.admission;

import dev.weir.admission.ConcurrencyLimiter;
import dev.weir.admission.PolicyBulkheads;

/**
 * The limits of concurrent coordinated requests. Safe on any thread.
 *
 * @param concurrency of all requests
 * @param bulkheads of the requests of one policy
 * @param rejections keeps the reasons of rejections
 */
public record RequestLimits(
    ConcurrencyLimiter concurrency, PolicyBulkheads bulkheads, RejectionRecorder rejections) {
  /** Whether over half of the permits are taken: then background work pauses. */
  public boolean isBusy() {
    return concurrency.inFlight() > concurrency.maxInFlight() / 2;
  }
}
