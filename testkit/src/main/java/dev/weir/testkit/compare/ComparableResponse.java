package dev.weir.testkit.compare;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What of a response is compared: without times, without the names that belong to one endpoint, and
 * without what the step masks.
 *
 * @param outcome the status, or why there is no response
 * @param headers the values by name, in order
 * @param body the body
 */
record ComparableResponse(String outcome, Map<String, List<String>> headers, ComparableBody body) {
  /** CPU and memory of shard tasks, which nodes let through to the client with some requests. */
  private static final String RESOURCE_USAGE = "task_resource_usage";

  private static final String PRESENT_MARKER = "(present)";
  private static final String CONTENT_LENGTH = "content-length";

  /** Headers that say something about the connection or the moment. */
  private static final Set<String> NEVER_COMPARED = Set.of("connection", "date", "keep-alive");

  /**
   * Reads a response. Later values of the endpoint's variables do not change what was read.
   *
   * @param endpoint that responded, with the variables that the response set
   */
  static ComparableResponse of(
      ComparisonStep step, ComparedEndpoint endpoint, RawHttpResponse response) {
    ComparisonMasks masks = ComparisonMasks.DEFAULT.merge(step.masks());
    return new ComparableResponse(
        response.outcome(),
        headers(step, endpoint, response),
        ComparableBody.of(masks, endpoint, response));
  }

  private static Map<String, List<String>> headers(
      ComparisonStep step, ComparedEndpoint endpoint, RawHttpResponse response) {
    Map<String, List<String>> headers = new TreeMap<>();
    for (RawHttpResponse.Header header : response.headers()) {
      if (!NEVER_COMPARED.contains(header.name())
          && !step.ignoredHeaders().contains(header.name())) {
        headers
            .computeIfAbsent(header.name(), name -> new ArrayList<>())
            .add(headerValue(step, endpoint, header));
      }
    }
    headers.values().forEach(values -> values.sort(null));
    return headers;
  }

  /**
   * What of a header is compared: of a body's length only that it is there, because it depends on
   * the digits of times (and was seen to fit when the body was read).
   */
  private static String headerValue(
      ComparisonStep step, ComparedEndpoint endpoint, RawHttpResponse.Header header) {
    return switch (header.name()) {
      case CONTENT_LENGTH -> step.request().isHead() ? header.value() : PRESENT_MARKER;
      case RESOURCE_USAGE -> PRESENT_MARKER;
      case "allow" ->
          Stream.of(header.value().split(",")).map(String::strip).sorted().toList().toString();
      default -> endpoint.generalise(header.value());
    };
  }

  /** Returns the values of a header; none without it. */
  List<String> header(String name) {
    return headers.getOrDefault(name, List.of());
  }
}
