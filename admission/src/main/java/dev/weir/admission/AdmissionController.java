package dev.weir.admission;

import dev.weir.config.policy.AdmissionPolicy;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * Lets a bounded number of requests in at a time and refuses the others at once, before anything is
 * sent to a node. Safe on any thread; never blocks.
 */
public final class AdmissionController {
  private final AdmissionPolicy policy;
  private final AtomicInteger inFlight = new AtomicInteger();
  private final LongAdder refused = new LongAdder();

  /** Makes a controller with nothing in flight. */
  public AdmissionController(AdmissionPolicy policy) {
    this.policy = policy;
  }

  /** Asks to be let in. */
  public Admission ask() {
    int now = inFlight.incrementAndGet();
    if (now <= policy.maxInFlight()) {
      return new Admission.Admitted(new Permit(inFlight::decrementAndGet));
    }
    inFlight.decrementAndGet();
    refused.increment();
    return new Admission.Refused(
        "too_many_requests_in_flight", now - 1, policy.maxInFlight(), policy.retryAfter());
  }

  /** Requests let in and not finished. */
  public int inFlight() {
    return inFlight.get();
  }

  /** Requests refused so far. */
  public long refused() {
    return refused.sum();
  }
}
