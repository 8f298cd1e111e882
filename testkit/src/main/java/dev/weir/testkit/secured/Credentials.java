package dev.weir.testkit.secured;

import dev.weir.testkit.RestAccess;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The ways in which a client of a secured cluster can say who it is. */
public final class Credentials {
  private static final Duration TOKEN_VALIDITY = Duration.ofHours(1);

  /** An address of the range for documentation: no proxy that the nodes know. */
  private static final String CLIENT_ADDRESS = "192.0.2.7";

  private final CertificateAuthority authority;
  private final TokenSigner tokens;

  /** What every connection shows, where nodes refuse connections without a certificate. */
  private final @Nullable IssuedCertificate shown;

  Credentials(
      CertificateAuthority authority, TokenSigner tokens, @Nullable IssuedCertificate shown) {
    this.authority = authority;
    this.tokens = tokens;
    this.shown = shown;
  }

  /** A client without credentials, which trusts the nodes. */
  public RestAccess none() {
    return new RestAccess(authority.clientTls(shown), Map.of());
  }

  /** A user with its password. */
  public RestAccess password(SecuredUser user) {
    return password(user.username(), user.password());
  }

  /** A user with a password, right or wrong. */
  public RestAccess password(String user, String password) {
    byte[] pair = (user + ":" + password).getBytes(StandardCharsets.UTF_8);
    return none().withHeader("Authorization", "Basic " + Base64.getEncoder().encodeToString(pair));
  }

  /** The owner of a certificate. */
  public RestAccess certificate(IssuedCertificate certificate) {
    return new RestAccess(authority.clientTls(certificate), Map.of());
  }

  /** A user with a signed token that is valid for an hour. */
  public RestAccess token(String user, String roles) {
    return token(tokens.sign(user, roles, Instant.now().plus(TOKEN_VALIDITY)));
  }

  /** A client with a token, valid or not. */
  public RestAccess token(String token) {
    return none().withHeader("Authorization", "Bearer " + token);
  }

  /** A user that a trusted proxy on this machine has authenticated. */
  public RestAccess proxied(String user, String roles) {
    return none()
        .withHeader("X-Forwarded-For", CLIENT_ADDRESS)
        .withHeader("x-proxy-user", user)
        .withHeader("x-proxy-roles", roles);
  }

  /** Signs further tokens with the cluster's key. */
  public TokenSigner tokens() {
    return tokens;
  }
}
