package dev.weir.http.error;

import dev.weir.model.DisplayFormat;
import dev.weir.model.MemoryRejection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Answers that refuse a request for want of room, in the words of a node. */
public final class RejectionResponses {

  /** Tells a client when to come again, in seconds. */
  public static final Map<String, String> RETRY_AFTER_HEADERS = Map.of("Retry-After", "1");

  private RejectionResponses() {}

  /**
   * What a node's {@code in_flight_requests} breaker answers.
   *
   * @param wanted bytes that all bodies together would have
   * @param limit bytes they may have
   */
  static ErrorBody memoryExceeded(long wanted, long limit) {
    return memoryExceeded(wanted, limit, "", "TRANSIENT", List.of());
  }

  /**
   * There is no room for a body.
   *
   * @param refused what said so; null where that is not known
   * @param wanted bytes that all bodies together would have
   * @param limit bytes that they may have
   */
  public static ErrorBody memoryExceeded(
      @Nullable MemoryRejection refused, long wanted, long limit) {
    return refused == null ? memoryExceeded(wanted, limit) : memoryExceeded(refused);
  }

  /** The same, with what bounds it and what the request holds besides. */
  static ErrorBody memoryExceeded(MemoryRejection refused) {
    return memoryExceeded(
        refused.resultingBytes(),
        refused.limitBytes(),
        " for " + refused.limitDescription(),
        refused.permanent() ? "PERMANENT" : "TRANSIENT",
        refused.bill());
  }

  /** The gateway found no memory in the middle of a body, though the body's budget had room. */
  public static ErrorBody outOfMemory() {
    return new ErrorBody(
        429,
        "circuit_breaking_exception",
        "[in_flight_requests] the gateway ran out of memory while it processed the request's body;"
            + " retry later");
  }

  /** The answer has a header that can't be sent. */
  public static ErrorBody invalidHeader(IllegalArgumentException why) {
    return new ErrorBody(500, "illegal_argument_exception", String.valueOf(why.getMessage()));
  }

  private static ErrorBody memoryExceeded(
      long wanted, long limit, String bound, String durability, List<String> bill) {
    Map<String, Object> details = new LinkedHashMap<>();
    details.put("bytes_wanted", wanted);
    details.put("bytes_limit", limit);
    details.put("durability", durability);
    if (!bill.isEmpty()) {
      details.put("breakdown", String.join(", ", bill));
    }
    return new ErrorBody(
        429,
        "circuit_breaking_exception",
        "[in_flight_requests] Data too large, data for [<http_request>] would be ["
            + formatBytes(wanted)
            + "], which is larger than the limit of ["
            + formatBytes(limit)
            + "]"
            + bound,
        details,
        null);
  }

  /** {@code 2048/2kb}: the number, and rounded down to a tenth of its unit as OpenSearch does. */
  private static String formatBytes(long bytes) {
    return bytes + "/" + DisplayFormat.formatBytes(bytes);
  }
}
