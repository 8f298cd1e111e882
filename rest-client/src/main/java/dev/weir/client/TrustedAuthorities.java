package dev.weir.client;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.Collection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Which certificates a client trusts. */
final class TrustedAuthorities {
  private TrustedAuthorities() {}

  /**
   * Trusts the authorities of a PEM file, and no others.
   *
   * @throws IOException if the file can't be read
   * @throws CertificateException if it has no certificates
   */
  static SSLContext read(Path file) throws IOException, CertificateException {
    try (InputStream stream = Files.newInputStream(file)) {
      Collection<? extends Certificate> authorities =
          CertificateFactory.getInstance("X.509").generateCertificates(stream);
      if (authorities.isEmpty()) {
        throw new CertificateException("the file has no certificate");
      }
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      int count = 0;
      for (Certificate authority : authorities) {
        store.setCertificateEntry("authority-" + count++, authority);
      }
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(store);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, trust.getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new CertificateException(
          "got " + file + " (expected: certificates in PEM): " + e.getMessage(), e);
    }
  }
}
