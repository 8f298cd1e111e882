package dev.weir.testkit.hostile;

/**
 * What came of a hostile request.
 *
 * @param status the HTTP status; {@link #CLOSED} or {@link #TIMED_OUT} without one
 * @param bodyBytes bytes of the response after its status line
 * @param nanos from the first byte sent to the last one received
 * @param excerpt the beginning of the response
 */
public record HostileOutcome(int status, long bodyBytes, long nanos, String excerpt) {
  /** The server closed the connection without a response. */
  public static final int CLOSED = 0;

  /** No complete response came in time. */
  public static final int TIMED_OUT = -1;

  /** Returns the first digit of the status: two statuses of one class mean the same to a client. */
  public int statusClass() {
    return status <= 0 ? status : status / 100;
  }

  public double millis() {
    return nanos / 1e6;
  }
}
