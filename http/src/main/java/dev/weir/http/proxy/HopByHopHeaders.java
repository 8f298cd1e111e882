package dev.weir.http.proxy;

import dev.weir.http.identity.HeaderRemoval;
import dev.weir.http.identity.NodeInternalHeaders;
import dev.weir.model.RequestContext;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.util.AsciiString;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Removes the headers that concern one connection only (RFC 9110, 7.6.1). */
final class HopByHopHeaders {

  private static final AsciiString KEEP_ALIVE = AsciiString.cached("keep-alive");
  private static final AsciiString PROXY_CONNECTION = AsciiString.cached("proxy-connection");
  private static final AsciiString HTTP2_SETTINGS = AsciiString.cached("http2-settings");

  /** A header for the gateway alone. */
  private static final AsciiString EXPLAIN = AsciiString.cached(RequestContext.EXPLAIN_HEADER);

  private HopByHopHeaders() {}

  /**
   * Removes hop-by-hop headers, including those that the Connection header names, and Expect, which
   * the gateway has answered.
   */
  static void strip(HttpHeaders headers) {
    List<String> nominated = nominated(headers);
    if (nominated != null) {
      HeaderRemoval.removeAll(headers, nominated);
    }
    headers.remove(HttpHeaderNames.CONNECTION);
    headers.remove(KEEP_ALIVE);
    headers.remove(PROXY_CONNECTION);
    headers.remove(HttpHeaderNames.TE);
    headers.remove(HttpHeaderNames.TRAILER);
    headers.remove(HttpHeaderNames.TRANSFER_ENCODING);
    headers.remove(HttpHeaderNames.UPGRADE);
    headers.remove(HttpHeaderNames.EXPECT);
    headers.remove(HTTP2_SETTINGS);
    headers.remove(EXPLAIN);
  }

  /** Removes from a node's response what concerns one connection, or the nodes, only. */
  static void stripResponse(HttpHeaders headers) {
    strip(headers);
    NodeInternalHeaders.strip(headers);
  }

  /** Returns the headers that the Connection header names; null where it has its usual values. */
  private static @Nullable List<String> nominated(HttpHeaders headers) {
    List<String> names = null;
    Iterator<? extends CharSequence> lines =
        headers.valueCharSequenceIterator(HttpHeaderNames.CONNECTION);
    while (lines.hasNext()) {
      CharSequence line = lines.next();
      if (!HttpHeaderValues.KEEP_ALIVE.contentEqualsIgnoreCase(line)
          && !HttpHeaderValues.CLOSE.contentEqualsIgnoreCase(line)) {
        if (names == null) {
          names = new ArrayList<>(2);
        }
        addNames(line.toString(), names);
      }
    }
    return names;
  }

  private static void addNames(String connection, List<String> names) {
    for (String option : connection.split(",", -1)) {
      String name = option.trim().toLowerCase(Locale.ROOT);
      // A client must not be able to remove headers that frame or address the message.
      switch (name) {
        case "", "content-length", "host", "content-type", "content-encoding" -> {}
        default -> names.add(name);
      }
    }
  }
}
