package dev.weir.testkit.secured;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * A private authority in a folder, which issues the certificates of one cluster.
 *
 * <p>The JDK has no API for making certificates, so its {@code keytool} does, in a process of its
 * own that takes some 0.3 s. What the folder already has is used again. Safe for use by several
 * threads.
 */
public final class CertificateAuthority {
  /** The password of the PKCS#12 files. */
  public static final String PASSWORD = "changeit";

  private static final String AUTHORITY = "ca";

  private final Path folder;
  private final KeytoolStore store;

  private CertificateAuthority(Path folder) {
    this.folder = folder;
    this.store = new KeytoolStore(folder.resolve("authority.p12"), PASSWORD);
  }

  /** Opens the authority of a folder; makes it at first use. */
  public static CertificateAuthority open(Path folder) {
    try {
      Files.createDirectories(folder);
      CertificateAuthority authority = new CertificateAuthority(folder);
      authority.store.generate(
          AUTHORITY,
          List.of("-dname", "CN=weir-test-ca", "-ext", "bc:c=ca:true", "-ext", "ku:c=keyCertSign"));
      PemFile.write(authority.certificateFile(), List.of(authority.store.certificate(AUTHORITY)));
      return authority;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot make certificates in " + folder, e);
    }
  }

  /** The authority's own certificate, PEM: what everybody trusts. */
  public Path certificateFile() {
    return folder.resolve("ca.pem");
  }

  /**
   * Issues a certificate for client and server, with the subject {@code CN=NAME}, for 127.0.0.1 and
   * localhost; returns the existing one of this name.
   */
  public synchronized IssuedCertificate issue(String name) {
    List<String> arguments = new ArrayList<>(List.of("-signer", AUTHORITY));
    arguments.addAll(List.of("-dname", "CN=" + name));
    arguments.addAll(List.of("-ext", "san=dns:localhost,ip:127.0.0.1"));
    IssuedCertificate issued =
        new IssuedCertificate(
            "CN=" + name,
            folder.resolve(name + ".pem"),
            folder.resolve(name + ".key"),
            folder.resolve(name + ".p12"));
    try {
      store.generate(name, arguments);
      Certificate[] chain = {store.certificate(name), store.certificate(AUTHORITY)};
      PemFile.write(issued.certificateFile(), List.of(chain));
      PemFile.write(issued.keyFile(), store.key(name));
      writeKeyStore(issued.keyStoreFile(), store.key(name), chain);
      return issued;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot make certificates in " + folder, e);
    }
  }

  private static void writeKeyStore(Path file, Key key, Certificate[] chain) throws IOException {
    try (OutputStream out = Files.newOutputStream(file)) {
      KeyStore keys = KeyStore.getInstance("PKCS12");
      keys.load(null, null);
      keys.setKeyEntry("key", key, PASSWORD.toCharArray(), chain);
      keys.store(out, PASSWORD.toCharArray());
    } catch (GeneralSecurityException e) {
      throw new IOException("cannot write " + file, e);
    }
  }

  /**
   * The TLS of a client that trusts this authority only.
   *
   * @param shown the client's own certificate; null for none
   */
  public SSLContext clientTls(@Nullable IssuedCertificate shown) {
    try {
      KeyStore trusted = KeyStore.getInstance("PKCS12");
      trusted.load(null, null);
      trusted.setCertificateEntry(AUTHORITY, store.certificate(AUTHORITY));
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(trusted);
      SSLContext tls = SSLContext.getInstance("TLS");
      tls.init(shown == null ? null : keyManagers(shown), trust.getTrustManagers(), null);
      return tls;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("cannot set up TLS with the certificates in " + folder, e);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the certificates in " + folder, e);
    }
  }

  private static KeyManager[] keyManagers(IssuedCertificate shown)
      throws GeneralSecurityException, IOException {
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(shown.keyStoreFile())) {
      keys.load(in, PASSWORD.toCharArray());
    }
    KeyManagerFactory managers =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    managers.init(keys, PASSWORD.toCharArray());
    return managers.getKeyManagers();
  }
}
