package dev.weir.http.options;

/**
 * Bounds what a client may send.
 *
 * @param maxRequestLineBytes longest request line (a node's {@code http.max_initial_line_length})
 * @param maxHeaderBytes all header fields of a request (a node's {@code http.max_header_size})
 * @param maxContentBytes a request's body, decoded (a node's {@code http.max_content_length})
 * @param maxRequestsPerConnection requests of one connection in flight at once: pipelined ones with
 *     HTTP/1.1, streams with HTTP/2
 * @param maxConnections open connections; a further one replaces the oldest that never sent
 *     complete request headers, or is rejected
 */
public record HttpLimits(
    int maxRequestLineBytes,
    int maxHeaderBytes,
    int maxContentBytes,
    int maxRequestsPerConnection,
    int maxConnections) {

  /** Returns a node's default limits. */
  public static HttpLimits standard() {
    return new HttpLimits(4 << 10, 16 << 10, 100 << 20, 128, 16_384);
  }
}
