package dev.weir.model;

import java.util.List;
import java.util.Map;

/**
 * A response to an {@link HttpExchange} whose body is produced while the client reads it.
 *
 * @param status HTTP status code
 * @param contentType value of {@code content-type}
 * @param headers further headers, in order; never content-type, content-length or transfer-encoding
 * @param body produces the body
 * @param onReleased runs once, after {@link BodySource#onClosed}
 */
public record StreamingResponse(
    int status,
    String contentType,
    List<Map.Entry<String, String>> headers,
    BodySource body,
    Runnable onReleased) {
  /** Returns the same response without a body. */
  public BufferedResponse withoutBody() {
    return new BufferedResponse(status, contentType, headers, List.of(), onReleased);
  }
}
