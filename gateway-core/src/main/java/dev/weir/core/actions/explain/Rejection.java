package dev.weir.core.actions.explain;

import dev.weir.admission.queue.QueueRejection;
import dev.weir.model.Deadline;
import dev.weir.model.DisplayFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Why a request, or a part of it, was rejected, with the measured values. Text is built only on
 * demand. Immutable.
 *
 * @param cause the limit that rejected it
 * @param nodeId the node whose limit was reached; null for none
 * @param reason the message for the client
 * @param measurements the measured values, for JSON
 */
public record Rejection(
    Cause cause,
    @Nullable String nodeId,
    Supplier<String> reason,
    Supplier<Map<String, Object>> measurements) {

  /** The limits that reject requests. */
  public enum Cause {
    /** The number of coordinated requests in flight. */
    IN_FLIGHT,
    /** A rate limit. */
    PACING,
    /** A node is at its limit, and the wait would be too long. */
    QUEUE,
    /** The gateway's memory. */
    MEMORY,
    /** The request's own deadline. */
    DEADLINE
  }

  /** Creates a rejection by the queue of a node. */
  public static Rejection ofQueue(QueueRejection why) {
    return new Rejection(
        Cause.QUEUE,
        why.fullNode().nodeId(),
        why::message,
        () -> {
          Map<String, Object> measured = new LinkedHashMap<>();
          measured.put("reason_code", why.reason().label());
          measured.put("class", why.fullNode().threadPool().label());
          measured.put("in_flight", why.fullNode().inFlight());
          measured.put("limit", DisplayFormat.roundToThousandths(why.fullNode().limit()));
          measured.put("waiting_requests", why.waitMeasurement().waiting());
          measured.put("max_waiting_requests", why.waitMeasurement().maxWaiting());
          if (why.reason() != QueueRejection.Reason.QUEUE_FULL) { // the wait was not measured
            boolean waited = why.reason() == QueueRejection.Reason.WAIT_TIMEOUT;
            measured.put(
                waited ? "waited_ms" : "expected_ms", toMillis(why.waitMeasurement().waitNanos()));
            measured.put("max_ms", toMillis(why.waitMeasurement().maxWaitNanos()));
          }
          measured.put("retry_after_s", why.retryAfter().toSeconds());
          return measured;
        });
  }

  /**
   * Creates a rejection because the deadline passed, before the start or during the execution.
   *
   * @param reason the message for the client
   */
  public static Rejection ofDeadline(Deadline deadline, boolean begun, String reason) {
    return new Rejection(
        Cause.DEADLINE,
        null,
        () -> reason,
        () -> {
          Map<String, Object> measured = new LinkedHashMap<>();
          measured.put("reason_code", begun ? "exceeded" : "expired-on-arrival");
          measured.put("set_by", deadline.setBy());
          measured.put("max_ms", deadline.timeout().toMillis());
          return measured;
        });
  }

  private static double toMillis(long nanos) {
    return DisplayFormat.roundToThousandths(Math.max(0, nanos) / 1e6);
  }
}
