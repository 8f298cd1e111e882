package dev.weir.admission.queue;

import dev.weir.model.DisplayFormat;
import dev.weir.model.RetryAdvice;
import java.time.Duration;

/**
 * Why a request was rejected, with the measured values.
 *
 * @param fullNode the node that the request would have waited for
 * @param retryAfter the response's {@code Retry-After}
 */
public record QueueRejection(
    Reason reason,
    String tenant,
    FullNode fullNode,
    WaitMeasurement waitMeasurement,
    Duration retryAfter) {

  /** The kinds of rejection. */
  public enum Reason {
    /** The maximum number of requests already waits. */
    QUEUE_FULL,
    /** The expected wait is too long. */
    EXPECTED_WAIT_TOO_LONG,
    /** The request has waited too long. */
    WAIT_TIMEOUT,
    /** The request's deadline has passed, or would pass before it is admitted. */
    DEADLINE_BEFORE_TURN;

    public String label() {
      return DisplayFormat.toKebabCase(this);
    }
  }

  /**
   * A node at its limit.
   *
   * @param inFlight calls in flight
   * @param limit of calls in flight
   * @param isOfTenant whether both are those of the request's tenant, not of all tenants
   */
  public record FullNode(
      String nodeId, NodeThreadPool threadPool, int inFlight, double limit, boolean isOfTenant) {
    /** Creates a node with too many calls of all tenants. */
    public FullNode(String nodeId, NodeThreadPool threadPool, int inFlight, double limit) {
      this(nodeId, threadPool, inFlight, limit, false);
    }
  }

  /**
   * A wait.
   *
   * @param waiting requests that wait for the thread pool
   * @param waitNanos how long the request has waited, or would wait
   * @param maxWaitNanos how long it may wait
   * @param maxWaiting requests that may wait
   */
  public record WaitMeasurement(int waiting, long waitNanos, long maxWaitNanos, int maxWaiting) {}

  /** Returns the reason in the error response. */
  public String message() {
    String what =
        switch (reason) {
          case QUEUE_FULL ->
              waitMeasurement.waiting()
                  + " wait already (expected: less than "
                  + waitMeasurement.maxWaiting()
                  + ")";
          case EXPECTED_WAIT_TOO_LONG ->
              "it would wait "
                  + millis(waitMeasurement.waitNanos())
                  + " ms (expected: at most "
                  + millis(waitMeasurement.maxWaitNanos())
                  + " ms), behind "
                  + waitMeasurement.waiting()
                  + " that wait";
          case WAIT_TIMEOUT ->
              "it has waited "
                  + millis(waitMeasurement.waitNanos())
                  + " ms (expected: at most "
                  + millis(waitMeasurement.maxWaitNanos())
                  + " ms)";
          case DEADLINE_BEFORE_TURN ->
              "its own deadline leaves "
                  + millis(waitMeasurement.maxWaitNanos())
                  + " ms, and it would wait "
                  + millis(waitMeasurement.waitNanos())
                  + " ms (expected: an answer in time)";
        };
    return "rejected by the gateway ["
        + reason.label()
        + "]: node "
        + fullNode.nodeId()
        + " has "
        + fullNode.inFlight()
        + " "
        + fullNode.threadPool().label()
        + (fullNode.isOfTenant()
            ? " calls of this tenant in flight (limit "
            : " calls in flight (limit ")
        + (long) fullNode.limit()
        + "), "
        + what
        + "; tenant "
        + tenant
        + advice();
  }

  private String advice() {
    return switch (reason) {
      case QUEUE_FULL -> RetryAdvice.retry(retryAfter, "admission.queue.max-waiting");
      case EXPECTED_WAIT_TOO_LONG, WAIT_TIMEOUT ->
          RetryAdvice.retry(retryAfter, "admission.queue.max-wait");
      case DEADLINE_BEFORE_TURN -> RetryAdvice.retry(retryAfter) + ", or give it more time";
    };
  }

  private static long millis(long nanos) {
    return Math.max(0, nanos / 1_000_000);
  }
}
