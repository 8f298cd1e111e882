package dev.weir.admission;

import dev.weir.model.RetryAdvice;
import java.time.Duration;

/** The outcome of a request for admission. */
public sealed interface AdmissionDecision {
  /**
   * The request is admitted. The caller closes the permit when the response's last byte has left.
   */
  record Admitted(Permit permit) implements AdmissionDecision {}

  /**
   * The request is rejected.
   *
   * @param reason a label for metrics and the error message
   * @param inFlight the number of requests in flight
   * @param limit the limit of requests in flight
   * @param limitKey the configuration key of the limit
   * @param retryAfter the response's {@code Retry-After}
   */
  record Rejected(String reason, long inFlight, long limit, String limitKey, Duration retryAfter)
      implements AdmissionDecision {

    /** Returns the reason in the error response. */
    public String message() {
      return "rejected by the gateway: "
          + reason
          + ", got "
          + inFlight
          + " in flight (expected: less than "
          + limit
          + ")"
          + RetryAdvice.retry(retryAfter, limitKey);
    }
  }
}
