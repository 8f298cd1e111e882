package dev.weir.http.proxy;

import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import java.net.InetSocketAddress;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.SSLHandshakeException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Nodes' REST ports that can't be spoken to because of how they are secured; the log says it of
 * each once, until one was spoken to again. Safe on any thread.
 */
final class TlsMismatchReporter {
  private static final Logger LOG = LoggerFactory.getLogger(TlsMismatchReporter.class);

  private final ConcurrentHashMap<InetSocketAddress, String> reported = new ConcurrentHashMap<>();

  /** No encrypted connection came about; nothing is said of nodes that are just gone, or slow. */
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

  /** A connection that is not encrypted was closed without a word. */
  void onSilentClose(InetSocketAddress node) {
    report(
        node,
        "it closed a new connection without an answer (expected: one; if this port speaks HTTPS,"
            + " rest-tls has to be enabled)");
  }

  private void report(InetSocketAddress node, String what) {
    if (!what.equals(reported.put(node, what))) {
      LOG.warn("REST port {}: {}", node, what);
    }
  }

  /** It answered. */
  void onResponse(InetSocketAddress node) {
    if (!reported.isEmpty() && reported.remove(node) != null) {
      LOG.info("REST port {}: answers", node);
    }
  }
}
