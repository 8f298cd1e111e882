package dev.weir.http.proxy;

import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLHandshakeException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs nodes with a different TLS setting on their REST port than the configuration has. Logs each
 * address once, until it answers or {@link #EXPIRY} has passed since its last failure. Tracks at
 * most {@link #MAX_ADDRESSES} addresses, so that nodes with changing addresses don't accumulate.
 * Safe on any thread.
 */
final class TlsMismatchReporter {
  private static final Logger LOG = LoggerFactory.getLogger(TlsMismatchReporter.class);

  /**
   * Drops an address this long after its last failure: its node left, or another node has the
   * address.
   */
  static final Duration EXPIRY = Duration.ofHours(1);

  /** More addresses than a large cluster has nodes. */
  static final int MAX_ADDRESSES = 1024;

  /** The logged message of an address, and the time of its last failure. */
  private record Mismatch(String message, long lastNanos) {}

  private final LongSupplier nanoClock;
  private final ConcurrentHashMap<InetSocketAddress, Mismatch> reported = new ConcurrentHashMap<>();

  TlsMismatchReporter(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
  }

  /** Reports a failed TLS handshake. Ignores nodes that are merely down or slow. */
  void onHandshakeFailure(InetSocketAddress node, Throwable cause) {
    boolean refused =
        cause instanceof SSLHandshakeException && !(cause instanceof SslHandshakeTimeoutException);
    if (!refused && !(cause instanceof NotSslRecordException)) {
      return;
    }
    report(
        node,
        "no TLS connection: "
            + cause.getMessage()
            + " (expected: a valid certificate that names this address, of an authority in"
            + " rest-tls.ca-file; and rest-tls.certificate-file where nodes ask for one)");
  }

  /** Reports that a node closed a new connection without TLS before it sent a response. */
  void onSilentClose(InetSocketAddress node) {
    report(
        node,
        "it closed a new connection without an answer (expected: one; if this port speaks HTTPS,"
            + " rest-tls has to be enabled)");
  }

  private void report(InetSocketAddress node, String message) {
    long now = nanoClock.getAsLong();
    if (!reported.containsKey(node)) {
      evict(now);
    }
    Mismatch last = reported.put(node, new Mismatch(message, now));
    if (last == null || isExpired(last, now) || !message.equals(last.message)) {
      LOG.warn("REST port {}: {}", node, message);
    }
  }

  /** Drops expired addresses, and the oldest one if there are still too many. */
  private void evict(long now) {
    reported.values().removeIf(mismatch -> isExpired(mismatch, now));
    while (reported.size() >= MAX_ADDRESSES) {
      InetSocketAddress oldest = null;
      long longest = -1;
      for (Map.Entry<InetSocketAddress, Mismatch> entry : reported.entrySet()) {
        long age = now - entry.getValue().lastNanos;
        if (age > longest) {
          oldest = entry.getKey();
          longest = age;
        }
      }
      if (oldest == null) {
        return;
      }
      reported.remove(oldest);
    }
  }

  private static boolean isExpired(Mismatch mismatch, long now) {
    return now - mismatch.lastNanos >= EXPIRY.toNanos();
  }

  /** Stops tracking a node that has sent a response. */
  void onResponse(InetSocketAddress node) {
    if (!reported.isEmpty() && reported.remove(node) != null) {
      LOG.info("REST port {}: answers", node);
    }
  }

  /** The number of tracked addresses. */
  int trackedAddresses() {
    return reported.size();
  }
}
