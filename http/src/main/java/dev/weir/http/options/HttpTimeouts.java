package dev.weir.http.options;

import java.time.Duration;

/**
 * How long a client may take. A connection that takes longer is closed.
 *
 * @param headers from a request's first byte to the end of its headers
 * @param body between two pieces of a request's body
 * @param write for one piece (64 KB) of a response to leave
 * @param idle between two requests; long, because a client can't tell a connection that was closed
 *     for idleness from one that died under its request
 */
public record HttpTimeouts(Duration headers, Duration body, Duration write, Duration idle) {

  /** Timeouts that no honest client runs into. */
  public static HttpTimeouts standard() {
    return new HttpTimeouts(
        Duration.ofSeconds(60),
        Duration.ofSeconds(60),
        Duration.ofSeconds(120),
        Duration.ofHours(1));
  }
}
