package dev.weir.gateway.admin;

import dev.weir.config.policy.AdminPolicy;
import dev.weir.model.Sha256;
import dev.weir.observe.admin.AdminResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a request may see the pages of operators: by the host name that it addresses, and
 * by its token or client certificate. Reads the policy for each request, so a changed token takes
 * effect at once. Safe on any thread.
 */
public final class AdminAccess {
  private static final String ANONYMOUS = "anonymous";
  private static final String CHALLENGE = "Basic realm=\"weir admin\", charset=\"UTF-8\"";

  private final @Nullable Supplier<AdminPolicy> policy;

  /** The outcome for one request. */
  sealed interface Decision {
    /**
     * @param user the name that the request gave, or a description of its credentials
     */
    record Admitted(String user) implements Decision {}

    /** The response says what is missing. */
    record Rejected(AdminResponse response) implements Decision {}
  }

  private AdminAccess(@Nullable Supplier<AdminPolicy> policy) {
    this.policy = policy;
  }

  /** Admits what the section {@code admin} of the policy admits. */
  public static AdminAccess of(Supplier<AdminPolicy> policy) {
    return new AdminAccess(policy);
  }

  /** Admits every request. */
  static AdminAccess unrestricted() {
    return new AdminAccess(null);
  }

  Decision check(AdminRequest request) {
    if (policy == null) {
      return new Decision.Admitted(ANONYMOUS);
    }
    AdminPolicy admin = policy.get();
    String host = request.headers().get(HttpHeaderNames.HOST, "");
    if (!HostNames.isAllowed(host, admin.hostNames())) {
      return new Decision.Rejected(
          AdminResponse.text(
              403,
              "got Host: "
                  + host
                  + " (expected: an address, localhost, this machine's name, or one of"
                  + " admin.host-names)\n"));
    }
    String user = admin.requiresCredentials() ? authenticate(request, admin.token()) : ANONYMOUS;
    return user == null
        ? new Decision.Rejected(unauthenticated(admin))
        : new Decision.Admitted(user);
  }

  private static AdminResponse unauthenticated(AdminPolicy admin) {
    String expected =
        admin.token().isEmpty()
            ? "a client certificate of admin.client-ca-file"
            : "the token of admin.token, as Authorization: Bearer TOKEN or as a password";
    return new AdminResponse(
        401,
        "text/plain; charset=utf-8",
        "got no valid credentials (expected: " + expected + ")\n",
        admin.token().isEmpty()
            ? Map.of()
            : Map.of(HttpHeaderNames.WWW_AUTHENTICATE.toString(), CHALLENGE));
  }

  /** Returns who sends the request; null without valid credentials. */
  private static @Nullable String authenticate(AdminRequest request, String token) {
    String certificate = request.peer().certificateName();
    if (certificate != null) {
      return certificate;
    }
    String credentials = request.headers().get(HttpHeaderNames.AUTHORIZATION, "");
    int space = credentials.indexOf(' ');
    if (token.isEmpty() || space < 0) {
      return null;
    }
    String scheme = credentials.substring(0, space);
    String value = credentials.substring(space + 1).strip();
    if (scheme.equalsIgnoreCase("Bearer")) {
      return isEqual(value, token) ? "token" : null;
    }
    return scheme.equalsIgnoreCase("Basic") ? authenticateBasic(value, token) : null;
  }

  private static @Nullable String authenticateBasic(String encoded, String token) {
    String pair;
    try {
      pair = new String(Base64.getDecoder().decode(encoded), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException invalid) {
      return null;
    }
    int colon = pair.indexOf(':');
    if (colon < 0 || !isEqual(pair.substring(colon + 1), token)) {
      return null;
    }
    return colon == 0 ? "token" : pair.substring(0, colon);
  }

  /** Compares digests, so that the time shows neither the length nor a common prefix. */
  private static boolean isEqual(String got, String expected) {
    return MessageDigest.isEqual(Sha256.digest(got), Sha256.digest(expected));
  }
}
