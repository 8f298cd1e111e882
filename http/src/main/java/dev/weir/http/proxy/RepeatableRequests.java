package dev.weir.http.proxy;

/**
 * Tells which requests may go to a second node after a first one has rejected them with 429: those
 * that change nothing, neither by the first attempt nor by the second. Safe on any thread.
 */
@FunctionalInterface
public interface RepeatableRequests {
  /** No request goes to a second node. */
  RepeatableRequests NONE = (method, uri) -> false;

  /**
   * Returns whether this request may be repeated. Called only after a rejection.
   *
   * @param method in upper case
   * @param uri path and query as sent to the node
   */
  boolean contains(String method, String uri);
}
