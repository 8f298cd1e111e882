package dev.weir.admission;

import java.time.Duration;

/** The answer to a request that asks to be let in. */
public sealed interface Admission {
  /** It may go on; the permit is closed when its last byte has left. */
  record Admitted(Permit permit) implements Admission {}

  /**
   * It may not.
   *
   * @param reason a word for the metrics
   * @param measured how much is in flight
   * @param limit how much may be
   * @param retryAfter when to come again
   */
  record Refused(String reason, long measured, long limit, Duration retryAfter)
      implements Admission {

    /** What a client is told. */
    public String message() {
      return "rejected by the gateway: "
          + reason
          + ", got "
          + measured
          + " in flight (expected: less than "
          + limit
          + ")";
    }
  }
}
