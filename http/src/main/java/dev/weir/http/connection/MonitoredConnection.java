package dev.weir.http.connection;

/** A connection that is looked after from time to time, on its event loop. */
public interface MonitoredConnection {

  /**
   * Closes it when it has taken too long with something, or when it is idle and the server drains.
   *
   * @param nowNanos by the desk's clock
   */
  void checkTimeouts(long nowNanos);

  /** The server drains: no new requests, those under way are finished. */
  void drain();

  /** Closes it now. */
  void closeNow();
}
