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
 * Logs nodes whose REST ports are secured otherwise than the configuration says: each address once,
 * until it answers or {@link #EXPIRY} has passed since its last failure. Remembers {@link
 * #MAX_ADDRESSES} addresses at most, so that nodes that come and go under new addresses don't
 * accumulate. Safe on any thread.
 */
final class TlsMismatchReporter {
  private static final Logger LOG = LoggerFactory.getLogger(TlsMismatchReporter.class);

  /** An address that has not failed for so long is forgotten: its node is gone, or another one. */
  static final Duration EXPIRY = Duration.ofHours(1);

  /** More than the nodes of a large cluster. */
  static final int MAX_ADDRESSES = 1024;

  /** What the log said of an address, and when that last happened. */
  private record Mismatch(String message, long lastNanos) {}

  private final LongSupplier nanoClock;
  private final ConcurrentHashMap<InetSocketAddress, Mismatch> reported = new ConcurrentHashMap<>();

  TlsMismatchReporter(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
  }

  /** A TLS handshake failed. Ignores nodes that are merely down or slow. */
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
            + " rest-tls.trust; and rest-tls.certificate where nodes ask for one)");
  }

  /** A node closed a new connection without TLS before it answered anything. */
  void onSilentClose(InetSocketAddress node) {
    report(
        node,
        "it closed a new connection without an answer (expected: one; if this port speaks HTTPS,"
            + " rest-tls has to be enabled)");
  }

  private void report(InetSocketAddress node, String message) {
    long now = nanoClock.getAsLong();
    if (!reported.containsKey(node)) {
      makeRoom(now);
    }
    Mismatch last = reported.put(node, new Mismatch(message, now));
    if (last == null || isExpired(last, now) || !message.equals(last.message)) {
      LOG.warn("REST port {}: {}", node, message);
    }
  }

  /** Drops expired addresses, and the oldest one if there are still too many. */
  private void makeRoom(long now) {
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

  /** A node answered a request. */
  void onResponse(InetSocketAddress node) {
    if (!reported.isEmpty() && reported.remove(node) != null) {
      LOG.info("REST port {}: answers", node);
    }
  }

  /** Addresses remembered now. */
  int trackedAddresses() {
    return reported.size();
  }
}
