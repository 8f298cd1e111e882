package dev.weir.http.error;

import dev.weir.model.DisplayFormat;
import dev.weir.model.MemoryRejection;
import dev.weir.model.RetryAdvice;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Creates a node's error bodies for requests that are rejected for lack of memory. */
public final class RejectionResponses {

  /** The header that tells a client to retry after one second. */
  public static final Map<String, String> RETRY_AFTER_HEADERS = Map.of("Retry-After", "1");

  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  private RejectionResponses() {}

  /**
   * Returns the error of a node's {@code in_flight_requests} circuit breaker.
   *
   * @param wanted bytes that all bodies together would occupy
   * @param limit bytes that they may occupy
   */
  static ErrorBody memoryExceeded(long wanted, long limit) {
    String advice = RetryAdvice.retry(RETRY_AFTER, "admission.max-total-body-bytes");
    return memoryExceeded(wanted, limit, advice, "TRANSIENT", List.of());
  }

  /**
   * Returns the error of a body that the budget lacks memory for.
   *
   * @param refused the reason; null when unknown
   * @param wanted bytes that all bodies together would occupy
   * @param limit bytes that they may occupy
   */
  public static ErrorBody memoryExceeded(
      @Nullable MemoryRejection refused, long wanted, long limit) {
    return refused == null ? memoryExceeded(wanted, limit) : memoryExceeded(refused);
  }

  /**
   * Returns the error with the bound that was exceeded and the other memory that the request holds.
   */
  public static ErrorBody memoryExceeded(MemoryRejection refused) {
    return memoryExceeded(
        refused.resultingBytes(),
        refused.limitBytes(),
        " for " + refused.limitDescription() + refused.advice(),
        refused.permanent() ? "PERMANENT" : "TRANSIENT",
        refused.bill());
  }

  /** Returns the error of a body that the budget had room for and the JVM had no memory for. */
  public static ErrorBody outOfMemory() {
    return new ErrorBody(
        429,
        "circuit_breaking_exception",
        "[in_flight_requests] the gateway ran out of memory while it processed the request's body"
            + RetryAdvice.retry(RETRY_AFTER, "the heap or the direct memory of the gateway"));
  }

  /** Returns the error of a response with a header that can't be sent. */
  public static ErrorBody invalidHeader(IllegalArgumentException failure) {
    return new ErrorBody(500, "illegal_argument_exception", String.valueOf(failure.getMessage()));
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

  /**
   * Formats {@code 2048/2kb}: the bytes, and rounded down to a tenth of their unit as OpenSearch
   * does.
   */
  private static String formatBytes(long bytes) {
    return bytes + "/" + DisplayFormat.formatBytes(bytes);
  }
}
