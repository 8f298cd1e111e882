package dev.weir.admission.head;

import dev.weir.model.RequestHead;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Determines the user from a request's credentials without verifying them, which is the nodes'
 * task. The name never contains a secret: it is the user name of {@code Basic} credentials, and a
 * digest of any others.
 */
public final class UserResolver {
  private static final String AUTHORIZATION = "Authorization";

  private UserResolver() {}

  /** Returns the user; null for a request without credentials. */
  public static @Nullable String resolve(RequestHead head) {
    String credentials = head.header(AUTHORIZATION);
    if (credentials == null) {
      return null;
    }
    String trimmed = credentials.trim();
    int space = trimmed.indexOf(' ');
    if (space < 0) {
      return null;
    }
    String scheme = trimmed.substring(0, space).toLowerCase(Locale.ROOT);
    String rest = trimmed.substring(space + 1).trim();
    return scheme.equals("basic") ? basic(rest) : scheme + ":" + ClientNameSanitizer.digest(rest);
  }

  private static @Nullable String basic(String encoded) {
    try {
      String pair = new String(Base64.getDecoder().decode(encoded), StandardCharsets.UTF_8);
      int colon = pair.indexOf(':');
      return colon <= 0 ? null : pair.substring(0, colon);
    } catch (IllegalArgumentException noBase64) {
      return null;
    }
  }
}
