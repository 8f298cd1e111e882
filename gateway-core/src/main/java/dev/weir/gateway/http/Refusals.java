package dev.weir.gateway.http;

import java.util.LinkedHashMap;
import java.util.Map;

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
    Map<String, Object> details = new LinkedHashMap<>();
    details.put("bytes_wanted", wanted);
    details.put("bytes_limit", limit);
    details.put("durability", "TRANSIENT");
    return new ErrorBody(
        429,
        "circuit_breaking_exception",
        "[in_flight_requests] Data too large, data for [<http_request>] would be ["
            + sized(wanted)
            + "], which is larger than the limit of ["
            + sized(limit)
            + "]",
        details,
        null);
  }

  /** {@code 2048/2kb}: the number, and rounded down to a tenth of its unit as OpenSearch does. */
  private static String sized(long bytes) {
    String[] units = {"b", "kb", "mb", "gb", "tb", "pb"};
    int unit = 0;
    double value = bytes;
    while (value >= 1024 && unit < units.length - 1) {
      value /= 1024;
      unit++;
    }
    double tenths = Math.floor(value * 10) / 10;
    String number =
        tenths == Math.rint(tenths) ? Long.toString((long) tenths) : Double.toString(tenths);
    return bytes + "/" + number + units[unit];
  }
}
