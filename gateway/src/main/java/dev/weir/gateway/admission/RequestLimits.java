package dev.weir.gateway.admission;

import dev.weir.admission.AdmissionDecision;
import dev.weir.admission.ConcurrencyLimiter;
import dev.weir.admission.Permit;
import dev.weir.admission.PolicyBulkheads;
import dev.weir.model.RequestPolicy;

/**
 * The limits of concurrent requests that the gateway coordinates, or that nodes carry out in its
 * place. Safe on any thread.
 *
 * @param concurrency limits all requests together
 * @param bulkheads limit the requests of single policies
 * @param rejections keeps the reasons of rejections
 */
public record RequestLimits(
    ConcurrencyLimiter concurrency, PolicyBulkheads bulkheads, RejectionRecorder rejections) {
  /** Takes a permit of the request's policy first, if the policy has a limit of its own. */
  AdmissionDecision tryAcquire(RequestPolicy policy) {
    ConcurrencyLimiter own = bulkheads.limiterFor(policy);
    if (own == null) {
      return concurrency.tryAcquire();
    }
    return switch (own.tryAcquire()) {
      case AdmissionDecision.Rejected rejected -> rejected;
      case AdmissionDecision.Admitted(Permit policyPermit) ->
          switch (concurrency.tryAcquire()) {
            case AdmissionDecision.Admitted(Permit permit) ->
                new AdmissionDecision.Admitted(permit.combine(policyPermit));
            case AdmissionDecision.Rejected rejected -> {
              policyPermit.close();
              yield rejected;
            }
          };
    };
  }

  /** Whether more than half of the permits are taken: background work pauses then. */
  public boolean isBusy() {
    return concurrency.inFlight() > concurrency.maxInFlight() / 2;
  }
}
