package dev.weir.gateway.advice;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Base64;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * Who asks a secured cluster, from the environment, and which certificates are trusted.
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
    if (user.isEmpty()) {
      return Map.of();
    }
    byte[] pair = (user + ":" + password).getBytes(StandardCharsets.UTF_8);
    return Map.of("Authorization", "Basic " + Base64.getEncoder().encodeToString(pair));
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

  /**
   * Returns a context that trusts the authorities of a PEM file.
   *
   * @throws IOException if the file can't be read, or has no certificates
   */
  public static SSLContext trust(Path authorities) throws IOException {
    try (InputStream stream = Files.newInputStream(authorities)) {
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      int count = 0;
      for (Certificate one : CertificateFactory.getInstance("X.509").generateCertificates(stream)) {
        store.setCertificateEntry("ca-" + count++, one);
      }
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(store);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, trust.getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IOException(authorities + " has no certificates in PEM format", e);
    }
  }
}
