package dev.weir.responses.export;

import dev.weir.model.Sha256;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Identifies the client that a cursor belongs to, by the headers of its request. */
final class CursorOwner {
  private static final String AUTHORIZATION = "authorization";
  private static final String IMPERSONATE = "opendistro_security_impersonate_as";

  /** The headers in which a trusted proxy names a user, its roles and attributes. */
  private static final String PROXY_PREFIX = "x-proxy-";

  private CursorOwner() {}

  /**
   * Returns a text that differs between users.
   *
   * @param furtherHeaders in which trusted proxies or the gateway name users, in lower case
   */
  static String of(Map<String, List<String>> headers, List<String> furtherHeaders) {
    String authorization = null;
    Map<String, String> others = new TreeMap<>();
    for (Map.Entry<String, List<String>> header : headers.entrySet()) {
      String name = header.getKey().toLowerCase(Locale.ROOT);
      if (name.equals(AUTHORIZATION)) {
        authorization = header.getValue().isEmpty() ? null : header.getValue().getFirst();
      } else if (name.equals(IMPERSONATE)
          || name.startsWith(PROXY_PREFIX)
          || furtherHeaders.contains(name)) {
        others.put(name, String.join("\n", header.getValue()));
      }
    }
    String owner = of(authorization);
    return others.isEmpty() ? owner : owner + "\n" + "hash " + Sha256.hex(others.toString());
  }

  /** Returns the user of HTTP Basic, whose password may change; otherwise a hash. */
  private static String of(@Nullable String authorization) {
    if (authorization == null) {
      return "";
    }
    if (authorization.toLowerCase(Locale.ROOT).startsWith("basic ")) {
      try {
        byte[] pair = Base64.getDecoder().decode(authorization.substring(6).strip());
        String text = new String(pair, StandardCharsets.UTF_8);
        return "user " + text.substring(0, Math.max(0, text.indexOf(':')));
      } catch (IllegalArgumentException invalid) {
        // hashed below
      }
    }
    return "hash " + Sha256.hex(authorization);
  }
}
