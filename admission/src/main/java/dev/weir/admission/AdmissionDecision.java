package dev.weir.admission;

import java.time.Duration;

/** The decision about a request that asks for a place. */
public sealed interface AdmissionDecision {
  /** The request goes on. The caller closes the permit when its last byte has left. */
  record Admitted(Permit permit) implements AdmissionDecision {}

  /**
   * The request is rejected.
   *
   * @param reason a word for the metrics
   * @param inFlight requests in flight
   * @param limit the bound of requests in flight
   * @param retryAfter when the client may try again
   */
  record Rejected(String reason, long inFlight, long limit, Duration retryAfter)
      implements AdmissionDecision {

    /** The reason in the response. */
    public String message() {
      return "rejected by the gateway: "
          + reason
          + ", got "
          + inFlight
          + " in flight (expected: less than "
          + limit
          + ")";
    }
  }
}
