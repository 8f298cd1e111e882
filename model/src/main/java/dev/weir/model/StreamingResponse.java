package dev.weir.model;

import java.util.List;
import java.util.Map;

/**
 * The answer to an {@link HttpExchange} whose body is not at hand as a whole.
 *
 * @param status HTTP status code
 * @param contentType value of {@code content-type}
 * @param headers further headers, in order; never content-type, content-length or transfer-encoding
 * @param body makes the body
 * @param onReleased runs once, behind {@link BodySource#onClosed}
 */
public record StreamingResponse(
    int status,
    String contentType,
    List<Map.Entry<String, String>> headers,
    BodySource body,
    Runnable onReleased) {
  /** The same without a body. */
  public BufferedResponse withoutBody() {
    return new BufferedResponse(status, contentType, headers, List.of(), onReleased);
  }
}
