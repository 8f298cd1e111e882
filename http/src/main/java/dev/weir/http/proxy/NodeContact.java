package dev.weir.http.proxy;

/** What a request has learned of whether its node can be reached. */
public enum NodeContact {
  /**
   * There was a connection. One that failed later counts too, because a node closes the connection
   * of a malformed request.
   */
  MADE,
  /** No connection could be opened. */
  FAILED,
  /** The request ended before it had a connection: the node may be reachable or not. */
  UNKNOWN
}
