package dev.weir.client;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;

/** Credentials as headers of requests. */
public final class AuthorizationHeader {
  private static final String NAME = "Authorization";

  private AuthorizationHeader() {}

  /** Returns the header of a user of a cluster; none for an empty name. */
  public static Map<String, String> basic(String user, String password) {
    if (user.isEmpty()) {
      return Map.of();
    }
    byte[] pair = (user + ":" + password).getBytes(StandardCharsets.UTF_8);
    return Map.of(NAME, "Basic " + Base64.getEncoder().encodeToString(pair));
  }

  /** Returns the header with the token of an admin port; none for an empty token. */
  public static Map<String, String> bearer(String token) {
    return token.isEmpty() ? Map.of() : Map.of(NAME, "Bearer " + token);
  }
}
