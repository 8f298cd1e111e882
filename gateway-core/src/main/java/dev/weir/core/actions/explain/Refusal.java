package dev.weir.core.actions.explain;

import dev.weir.admission.queue.QueueRefusal;
import dev.weir.model.Deadline;
import dev.weir.model.Shown;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Why a request, or a part of it, was refused, with what was measured; put into words only when
 * somebody wants to know. Immutable.
 *
 * @param by what refused it
 * @param nodeId the node that stood in the way; null where none did
 * @param reason as its client was told
 * @param measured in numbers, to be shown as JSON
 */
public record Refusal(
    By by,
    @Nullable String nodeId,
    Supplier<String> reason,
    Supplier<Map<String, Object>> measured) {

  /** What refuses requests. */
  public enum By {
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
  public static Refusal queue(QueueRefusal why) {
    return new Refusal(
        By.QUEUE,
        why.full().nodeId(),
        why::message,
        () -> {
          Map<String, Object> measured = new LinkedHashMap<>();
          measured.put("kind", why.reason().label());
          measured.put("class", why.full().work().label());
          measured.put("in_flight", why.full().inFlight());
          measured.put("limit", Shown.rounded(why.full().limit()));
          measured.put("waiting", why.waits().waiting());
          measured.put("waiting_limit", why.waits().most());
          if (why.reason() != QueueRefusal.Reason.QUEUE_FULL) { // for how long was not looked at
            boolean waited = why.reason() == QueueRefusal.Reason.WAITED;
            measured.put(waited ? "waited_ms" : "expected_ms", millis(why.waits().nanos()));
            measured.put("allowed_ms", millis(why.waits().mostNanos()));
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
  public static Refusal deadline(Deadline deadline, boolean begun, String reason) {
    return new Refusal(
        By.DEADLINE,
        null,
        () -> reason,
        () -> {
          Map<String, Object> measured = new LinkedHashMap<>();
          measured.put("kind", begun ? "passed" : "too-late");
          measured.put("set_by", deadline.setBy());
          measured.put("allowed_ms", deadline.length().toMillis());
          return measured;
        });
  }

  private static double millis(long nanos) {
    return Shown.rounded(Math.max(0, nanos) / 1e6);
  }
}
