package dev.weir.admission;

import java.time.Duration;

/** The answer to a request that asks to be let in. */
public sealed interface AdmissionDecision {
  /** It may go on; the permit is closed when its last byte has left. */
  record Admitted(Permit permit) implements AdmissionDecision {}

  /**
   * It may not.
   *
   * @param reason a word for the metrics
   * @param inFlight how much is in flight
   * @param limit how much may be
   * @param retryAfter when to come again
   */
  record Rejected(String reason, long inFlight, long limit, Duration retryAfter)
      implements AdmissionDecision {

    /** What a client is told. */
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
