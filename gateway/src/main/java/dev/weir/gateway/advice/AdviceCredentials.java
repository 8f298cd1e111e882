package dev.weir.gateway.advice;

import dev.weir.client.AuthorizationHeader;
import java.util.Map;

/**
 * Who asks a secured cluster, from the environment.
 *
 * @param user empty for nobody
 * @param password of the user
 */
public record AdviceCredentials(String user, String password) {
  private static final String USER = "WEIR_ADVISE_USER";
  private static final String PASSWORD = "WEIR_ADVISE_PASSWORD";

  /** Reads the user and the password that advice is given for. */
  public static AdviceCredentials of(Map<String, String> environment) {
    return new AdviceCredentials(
        environment.getOrDefault(USER, ""), environment.getOrDefault(PASSWORD, ""));
  }

  /** Returns the headers of requests. */
  public Map<String, String> headers() {
    return AuthorizationHeader.basic(user, password);
  }

  /** Returns the option of {@code curl} that takes the same credentials from the environment. */
  public String curlOption() {
    return user.isEmpty() ? "" : "-u \"$" + USER + ":$" + PASSWORD + "\"";
  }

  /** Leaves the password out. */
  @Override
  public String toString() {
    return "AdviceCredentials[user=" + user + "]";
  }
}
