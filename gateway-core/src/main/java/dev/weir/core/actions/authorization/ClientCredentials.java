package dev.weir.core.actions.authorization;

import dev.weir.model.HttpExchange;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Everything in a request from which a node may tell who sends it: all of its headers, except those
 * that are known to say nothing about the sender, and the sender's address. A header that the
 * gateway does not know is taken for a credential. Immutable.
 *
 * @param headers in the order received
 * @param address the client's address
 * @param fingerprint a keyed hash of both; equal only for equal credentials
 */
record ClientCredentials(
    List<Map.Entry<String, String>> headers, SocketAddress address, String fingerprint) {
  private static final Set<String> NEUTRAL_HEADERS =
      Set.of(
          "accept",
          "accept-charset",
          "accept-encoding",
          "accept-language",
          "cache-control",
          "connection",
          "content-encoding",
          "content-length",
          "content-type",
          "date",
          "expect",
          "http2-settings",
          "keep-alive",
          "pragma",
          "proxy-connection",
          "te",
          "traceparent",
          "tracestate",
          "trailer",
          "transfer-encoding",
          "upgrade",
          "user-agent",
          "x-opaque-id",
          "x-request-id",
          "x-weir-explain");

  /** The options of a Connection header that name no header of the client's. */
  private static final Set<String> CONNECTION_OPTIONS =
      Set.of("", "close", "keep-alive", "te", "upgrade", "http2-settings");

  /**
   * Reads the credentials of a request; null if its Connection header asks to remove headers, so
   * that a node would not see what the gateway sees.
   */
  static @Nullable ClientCredentials of(HttpExchange exchange, FingerprintKey key) {
    List<Map.Entry<String, String>> telling = new ArrayList<>();
    for (Map.Entry<String, String> header : exchange.headers()) {
      String name = header.getKey().toLowerCase(Locale.ROOT);
      if (name.equals("connection") && removesHeaders(header.getValue())) {
        return null;
      }
      if (!NEUTRAL_HEADERS.contains(name)) {
        telling.add(Map.entry(name, header.getValue()));
      }
    }
    return new ClientCredentials(
        List.copyOf(telling),
        exchange.remoteAddress(),
        fingerprint(telling, exchange.remoteAddress(), key));
  }

  private static boolean removesHeaders(String connection) {
    for (String option : connection.split(",", -1)) {
      if (!CONNECTION_OPTIONS.contains(option.strip().toLowerCase(Locale.ROOT))) {
        return true;
      }
    }
    return false;
  }

  private static String fingerprint(
      List<Map.Entry<String, String>> headers, SocketAddress address, FingerprintKey key) {
    MessageDigest hash = key.newHash();
    // lengths first: no two lists of headers have the same bytes
    for (Map.Entry<String, String> header : headers) {
      update(hash, header.getKey());
      update(hash, header.getValue());
    }
    if (address instanceof InetSocketAddress internet && internet.getAddress() != null) {
      hash.update((byte) 1);
      hash.update(internet.getAddress().getAddress());
    } else {
      hash.update((byte) 2);
      update(hash, address.toString());
    }
    return Base64.getEncoder().encodeToString(hash.digest());
  }

  private static void update(MessageDigest hash, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    hash.update((byte) 0);
    for (int shift = 24; shift >= 0; shift -= 8) {
      hash.update((byte) (bytes.length >>> shift));
    }
    hash.update(bytes);
  }

  /** Hides the headers: they are secrets. */
  @Override
  public String toString() {
    return "ClientCredentials[" + headers.size() + " headers]";
  }
}
