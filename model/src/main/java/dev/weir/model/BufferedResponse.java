package dev.weir.model;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;

/**
 * A response to an {@link HttpExchange} with its complete body.
 *
 * @param status HTTP status code
 * @param contentType value of {@code content-type}; empty for none
 * @param headers further headers, in order; never content-type or content-length
 * @param body for HEAD its length is announced and no byte is sent
 * @param onReleased runs once when the body is no longer read (sent, failed or dropped); on any
 *     thread
 */
public record BufferedResponse(
    int status,
    String contentType,
    List<Map.Entry<String, String>> headers,
    ResponseBody body,
    Runnable onReleased) {

  /** A response whose body consists of buffers. */
  public BufferedResponse(
      int status,
      String contentType,
      List<Map.Entry<String, String>> headers,
      List<ByteBuffer> body,
      Runnable onReleased) {
    this(status, contentType, headers, ResponseBody.of(body), onReleased);
  }
}
