package dev.weir.it.containers;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * The certificates of the security plugin's demo configuration, copied out of a container.
 *
 * @param folder where the copies are
 */
record DemoCertificates(Path folder) {
  private static final String AUTHORITY = "root-ca.pem";
  private static final String NODE = "esnode.pem";
  private static final String NODE_KEY = "esnode-key.pem";

  /** Copies the certificates of a node, which has made them before it opened a port. */
  static DemoCertificates copy(ContainerNode node, Path folder) {
    for (String file : new String[] {AUTHORITY, NODE, NODE_KEY}) {
      node.copyFile("config/" + file, folder.resolve(file));
    }
    return new DemoCertificates(folder);
  }

  /** Returns the authority's certificate, which everybody trusts. */
  Path authority() {
    return folder.resolve(AUTHORITY);
  }

  /** Returns the certificate of every node, which also opens transport ports. */
  Path node() {
    return folder.resolve(NODE);
  }

  Path nodeKey() {
    return folder.resolve(NODE_KEY);
  }

  /** Returns the TLS of a client that trusts the authority and shows no certificate. */
  SSLContext clientTls() {
    try (InputStream in = Files.newInputStream(authority())) {
      KeyStore trusted = KeyStore.getInstance("PKCS12");
      trusted.load(null, null);
      trusted.setCertificateEntry(
          AUTHORITY, CertificateFactory.getInstance("X.509").generateCertificate(in));
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(trusted);
      SSLContext tls = SSLContext.getInstance("TLS");
      tls.init(null, trust.getTrustManagers(), null);
      return tls;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("cannot trust " + authority(), e);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + authority(), e);
    }
  }
}
