package dev.weir.http.connection;

import dev.weir.http.connection.ConnectionCounts.Reason;
import dev.weir.http.options.ClientLimits;
import dev.weir.http.options.HttpOptions;
import dev.weir.http.options.HttpTimeouts;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Measures how long one client takes to send requests and to read responses. Confined to its
 * connection's event loop; all times are by the server's clock.
 */
final class ConnectionTimeouts {
  /** What a client did not do in time. */
  record Expiry(Reason reason, String what, Duration limit) {}

  /**
   * Time after the start of draining, in nanoseconds, that an idle connection stays open to serve a
   * request that is already on its way.
   */
  private static final long DRAIN_IDLE_NANOS = 1_000_000_000L;

  private final HttpTimeouts timeouts;
  private final ClientLimits limits;
  private final @Nullable ReadTimestampHandler readTimestamps;
  private final TransferRateMonitor bodyRate = new TransferRateMonitor();
  private final HeldResponses heldResponses;
  private final TransferRateMonitor responseRate = new TransferRateMonitor();
  private long heldBytes;
  private long heldSinceNanos;
  private long lastReadNanos;
  private long lastWrittenNanos;
  private long idleSinceNanos;
  private long bodyStartNanos;

  /**
   * Creates the timeouts of a connection that opens now.
   *
   * @param readTimestamps times the bytes before they are decoded; null for an HTTP/2 stream
   */
  ConnectionTimeouts(
      HttpOptions options,
      HeldResponses heldResponses,
      @Nullable ReadTimestampHandler readTimestamps,
      long nowNanos) {
    this.timeouts = options.timeouts();
    this.limits = options.clients();
    this.heldResponses = heldResponses;
    this.readTimestamps = readTimestamps;
    this.idleSinceNanos = nowNanos;
    this.lastReadNanos = nowNanos;
  }

  /** Called when a request's headers have arrived. */
  void onBodyStart(long nowNanos) {
    bodyStartNanos = nowNanos;
    bodyRate.restart(nowNanos);
  }

  /** Called when bytes of a body have arrived. */
  void onBodyRead(int bytes, long nowNanos) {
    bodyRate.add(bytes);
    if (readTimestamps == null) {
      lastReadNanos = nowNanos;
    }
  }

  /** Called when the connection is read again after a pause. */
  void onReadResumed(long nowNanos) {
    lastReadNanos = nowNanos;
    bodyRate.restart(nowNanos);
  }

  /** Called when a write starts while none is pending. */
  void onWriteStart(long nowNanos) {
    lastWrittenNanos = nowNanos;
    responseRate.start(nowNanos);
  }

  /** Called when a write has ended. */
  void onWriteEnd(long nowNanos) {
    lastWrittenNanos = nowNanos;
  }

  /** Called when bytes of a body were written to the socket. */
  void onBodyWritten(long bytes) {
    responseRate.add(bytes);
  }

  /** Called when a response starts to hold memory until its client has read it. */
  void onHeld(ClientNetwork client, long bytes, long nowNanos) {
    heldResponses.add(client, bytes);
    if (heldBytes == 0) {
      heldSinceNanos = nowNanos;
    }
    heldBytes += bytes;
  }

  void onReleased(ClientNetwork client, long bytes) {
    heldResponses.remove(client, bytes);
    heldBytes -= bytes;
  }

  /**
   * Returns the bytes a second that the client reads of responses that hold memory; {@link
   * MonitoredConnection#UNKNOWN_RATE} before there is a figure.
   */
  long readRate() {
    return heldBytes == 0 ? MonitoredConnection.UNKNOWN_RATE : responseRate.bytesPerSecond();
  }

  /** Called when the last response has been written. */
  void onIdle() {
    idleSinceNanos = lastWrittenNanos;
  }

  /**
   * Returns since when a connection without requests has waited for one; {@link
   * MonitoredConnection#BUSY} while the headers of one arrive as fast as they should.
   */
  long idleSinceNanos(long nowNanos) {
    return readTimestamps != null
            && readTimestamps.hasReadBytes()
            && nowNanos - readTimestamps.firstReadNanos() <= MonitoredConnection.SLOW_HEADERS_NANOS
        ? MonitoredConnection.BUSY
        : idleSinceNanos;
  }

  /** Returns whether a connection without requests has been kept long enough while draining. */
  boolean isDrained(long nowNanos) {
    return !hasPartialHeaders() && nowNanos - idleSinceNanos > DRAIN_IDLE_NANOS;
  }

  private boolean hasPartialHeaders() {
    return readTimestamps != null && readTimestamps.hasReadBytes();
  }

  /** Returns what a client exceeded that has not read all of its response. */
  @Nullable Expiry checkWriting(long nowNanos) {
    responseRate.sample(nowNanos);
    if (nowNanos - lastWrittenNanos > timeouts.write().toNanos()) {
      return new Expiry(Reason.TIMEOUT, "read nothing of its response", timeouts.write());
    }
    if (heldBytes > 0 && nowNanos - heldSinceNanos > limits.maxResponseDuration().toNanos()) {
      return new Expiry(
          Reason.SLOW_READER, "did not read all of its response", limits.maxResponseDuration());
    }
    return responseRate.isBehind(nowNanos, limits.minResponseBytesPerSecond())
        ? new Expiry(
            Reason.SLOW_READER,
            "read less than " + limits.minResponseBytesPerSecond() + " bytes a second",
            Duration.ofSeconds(TransferRateMonitor.WINDOW_SECONDS))
        : null;
  }

  /**
   * Returns what a client exceeded that has not sent all of a body.
   *
   * @param paused whether the gateway does not read now
   */
  @Nullable Expiry checkReceiving(long nowNanos, boolean paused) {
    if (nowNanos - bodyStartNanos > limits.maxBodyDuration().toNanos()) {
      return new Expiry(Reason.SLOW_BODY, "did not send all of its body", limits.maxBodyDuration());
    }
    if (paused) {
      return null;
    }
    long lastRead =
        readTimestamps == null
            ? lastReadNanos
            : Math.max(lastReadNanos, readTimestamps.lastReadNanos());
    if (nowNanos - lastRead > timeouts.body().toNanos()) {
      return new Expiry(Reason.TIMEOUT, "sent nothing of its body", timeouts.body());
    }
    return bodyRate.isTooSlow(nowNanos, limits.minBodyBytesPerSecond())
        ? new Expiry(
            Reason.SLOW_BODY,
            "sent less than " + limits.minBodyBytesPerSecond() + " bytes a second of its body",
            Duration.ofSeconds(TransferRateMonitor.WINDOW_SECONDS))
        : null;
  }

  /** Returns what a client exceeded that has no request in flight. */
  @Nullable Expiry checkIdle(long nowNanos) {
    if (readTimestamps != null && readTimestamps.hasReadBytes()) {
      return nowNanos - readTimestamps.firstReadNanos() > timeouts.headers().toNanos()
          ? new Expiry(Reason.TIMEOUT, "did not send complete headers", timeouts.headers())
          : null;
    }
    return nowNanos - idleSinceNanos > timeouts.idle().toNanos()
        ? new Expiry(Reason.TIMEOUT, "sent no request", timeouts.idle())
        : null;
  }
}
