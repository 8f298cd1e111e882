package dev.weir.core.actions.explain;

import dev.weir.admission.queue.QueueRejection;
import dev.weir.model.Deadline;
import dev.weir.model.DisplayFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Why a request, or a part of it, was refused, with what was measured; put into words only when
 * somebody wants to know. Immutable.
 *
 * @param cause what refused it
 * @param nodeId the node that stood in the way; null where none did
 * @param reason as its client was told
 * @param measurements in numbers, to be shown as JSON
 */
public record Rejection(
    Cause cause,
    @Nullable String nodeId,
    Supplier<String> reason,
    Supplier<Map<String, Object>> measurements) {

  /** What refuses requests. */
  public enum Cause {
    /** As many coordinated requests are in flight as may be. */
    IN_FLIGHT,
    /** A limit on how fast requests may come. */
    PACING,
    /** A node has no room, and the wait would be too long. */
    QUEUE,
    /** The memory of the gateway. */
    MEMORY,
    /** The request's own deadline. */
    DEADLINE
  }

  /** It would have waited for a node for too long. */
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
          if (why.reason() != QueueRejection.Reason.QUEUE_FULL) { // for how long was not looked at
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
   * Its deadline had passed before it was begun, or passed while it was under way.
   *
   * @param reason as its client was told
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
