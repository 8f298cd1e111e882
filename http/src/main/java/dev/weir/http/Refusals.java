package dev.weir.http;

import dev.weir.model.MemoryRefusal;
import dev.weir.model.Shown;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Answers that refuse a request for want of room, in the words of a node. */
final class Refusals {

  /** Tells a client when to come again, in seconds. */
  static final Map<String, String> RETRY_SOON = Map.of("Retry-After", "1");

  private Refusals() {}

  /**
   * What a node's {@code in_flight_requests} breaker answers.
   *
   * @param wanted bytes that all bodies together would have
   * @param limit bytes they may have
   */
  static ErrorBody noRoom(long wanted, long limit) {
    return noRoom(wanted, limit, "", "TRANSIENT", List.of());
  }

  /**
   * There is no room for a body.
   *
   * @param refused what said so; null where that is not known
   * @param wanted bytes
   */
  static ErrorBody noRoom(@Nullable MemoryRefusal refused, BodyBudget budget, long wanted) {
    return refused == null ? noRoom(budget.used() + wanted, budget.limit()) : noRoom(refused);
  }

  /** The same, with what bounds it and what the request holds besides. */
  static ErrorBody noRoom(MemoryRefusal refused) {
    return noRoom(
        refused.wouldBe(),
        refused.limit(),
        " for " + refused.bound(),
        refused.lasting() ? "PERMANENT" : "TRANSIENT",
        refused.bill());
  }

  /** The answer has a header that can't be sent. */
  static ErrorBody unsendable(IllegalArgumentException why) {
    return new ErrorBody(500, "illegal_argument_exception", String.valueOf(why.getMessage()));
  }

  private static ErrorBody noRoom(
      long wanted, long limit, String bound, String durability, List<String> bill) {
    Map<String, Object> details = new LinkedHashMap<>();
    details.put("bytes_wanted", wanted);
    details.put("bytes_limit", limit);
    details.put("durability", durability);
    if (!bill.isEmpty()) {
      details.put("bill", String.join(", ", bill));
    }
    return new ErrorBody(
        429,
        "circuit_breaking_exception",
        "[in_flight_requests] Data too large, data for [<http_request>] would be ["
            + sized(wanted)
            + "], which is larger than the limit of ["
            + sized(limit)
            + "]"
            + bound,
        details,
        null);
  }

  /** {@code 2048/2kb}: the number, and rounded down to a tenth of its unit as OpenSearch does. */
  private static String sized(long bytes) {
    return bytes + "/" + Shown.bytes(bytes);
  }
}
