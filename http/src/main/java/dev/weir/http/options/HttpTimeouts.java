package dev.weir.http.options;

import java.time.Duration;

/**
 * How long a client may take; the server closes a connection that takes longer.
 *
 * @param headers from a request's first byte to the end of its headers
 * @param body between two chunks of a request's body
 * @param write to send one chunk (64 KB) of a response
 * @param idle between two requests; long, because a client can't tell a connection that was closed
 *     for idleness from one that failed during its request
 */
public record HttpTimeouts(Duration headers, Duration body, Duration write, Duration idle) {

  /** Returns timeouts that no well-behaved client exceeds. */
  public static HttpTimeouts standard() {
    return new HttpTimeouts(
        Duration.ofSeconds(60),
        Duration.ofSeconds(60),
        Duration.ofSeconds(120),
        Duration.ofHours(1));
  }
}
