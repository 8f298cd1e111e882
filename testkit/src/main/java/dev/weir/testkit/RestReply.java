package dev.weir.testkit;

/**
 * The response to a REST request.
 *
 * @param request the request's method and path
 * @param status the HTTP status
 * @param body the body as text
 */
public record RestReply(String request, int status, String body) {
  private static final int FIRST_FAILURE = 300;

  /** Throws unless the request succeeded. */
  public RestReply orThrow() {
    if (status >= FIRST_FAILURE) {
      throw new IllegalStateException(
          "got status " + status + " for " + request + " (expected: 2xx): " + body);
    }
    return this;
  }
}
