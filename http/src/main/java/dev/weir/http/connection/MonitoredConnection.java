package dev.weir.http.connection;

/** A connection whose timeouts are checked periodically on its event loop. */
public interface MonitoredConnection {

  /**
   * Closes the connection when a timeout has passed, or when it is idle while the server drains.
   *
   * @param nowNanos by the server's clock
   */
  void checkTimeouts(long nowNanos);

  /** Refuses new requests and finishes those in flight, because the server drains. */
  void drain();

  /** Closes the connection at once. */
  void closeNow();
}
