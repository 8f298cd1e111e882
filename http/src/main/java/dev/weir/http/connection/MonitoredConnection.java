package dev.weir.http.connection;

/** A connection whose timeouts are checked periodically on its event loop. */
public interface MonitoredConnection {
  /** The time of a connection that does not wait for a request. */
  long BUSY = Long.MAX_VALUE;

  /** The rate of a client that was not measured. */
  long UNKNOWN_RATE = Long.MAX_VALUE;

  /**
   * Time, in nanoseconds, within which a well-behaved client sends the headers of a request, once
   * it has begun.
   */
  long SLOW_HEADERS_NANOS = 1_000_000_000L;

  /**
   * Closes the connection when a timeout has passed, or when it is idle while the server drains.
   *
   * @param nowNanos by the server's clock
   */
  void checkTimeouts(long nowNanos);

  /** Refuses new requests and finishes those in flight, because the server drains. */
  void drain();

  /**
   * Returns since when the connection has waited for a request, by the server's clock.
   *
   * @return {@link #BUSY} while it serves a request, or is no connection of its own
   */
  long idleSinceNanos(long nowNanos);

  /** Returns whose connection it is. */
  ClientNetwork network();

  /**
   * Returns the bytes a second that the client reads of responses that hold memory.
   *
   * @return {@link #UNKNOWN_RATE} when no response holds memory, or it has not done so for long
   */
  long readRate();

  /** Closes the connection in favour of another one. */
  void evict();

  /** Closes the connection at once. */
  void closeNow();
}
