package dev.weir.gateway.coalesce;

import dev.weir.model.BufferedResponse;
import dev.weir.model.HttpExchange;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The same answer for another client: the same bytes, its own names echoed. */
final class CoalescedResponse {
  /** What a node echoes of a request's headers. */
  private static final List<String> ECHOED = List.of("X-Opaque-Id", "X-Request-Id");

  private CoalescedResponse() {}

  /**
   * Makes it.
   *
   * @param read runs when this client does not read the bytes any more
   */
  static BufferedResponse copyFor(BufferedResponse reply, HttpExchange client, Runnable read) {
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
    return new BufferedResponse(reply.status(), reply.contentType(), headers, reply.body(), read);
  }
}
