package dev.weir.gateway.coalesce;

import dev.weir.model.BufferedResponse;
import dev.weir.model.HttpExchange;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Copies a response for another client: the same bytes, with that client's echoed headers. */
final class CoalescedResponse {
  /** The headers of a request that a node echoes. */
  private static final List<String> ECHOED = List.of("X-Opaque-Id", "X-Request-Id");

  private CoalescedResponse() {}

  /**
   * Copies a response.
   *
   * @param onReleased runs when this client no longer needs the bytes
   */
  static BufferedResponse copyFor(
      BufferedResponse reply, HttpExchange client, Runnable onReleased) {
    List<Map.Entry<String, String>> headers = new ArrayList<>(reply.headers().size());
    for (String name : ECHOED) {
      for (Map.Entry<String, String> header : client.headers()) {
        if (header.getKey().equalsIgnoreCase(name)) {
          headers.add(Map.entry(name, header.getValue()));
        }
      }
    }
    for (Map.Entry<String, String> header : reply.headers()) {
      if (ECHOED.stream().noneMatch(header.getKey()::equalsIgnoreCase)) {
        headers.add(header);
      }
    }
    return new BufferedResponse(
        reply.status(), reply.contentType(), headers, reply.body(), onReleased);
  }
}
