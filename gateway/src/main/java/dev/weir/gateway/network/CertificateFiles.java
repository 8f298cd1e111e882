package dev.weir.gateway.network;

import dev.weir.config.policy.CertificateFormat;
import io.netty.handler.ssl.SslContext;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads certificates and private keys from PEM and PKCS#12 files. Keeps no state. */
final class CertificateFiles {
  private static final byte[] SAMPLE = {1, 2, 3};

  private CertificateFiles() {}

  /**
   * A private key and its certificates.
   *
   * @param chain the key's certificate first
   */
  record Identity(PrivateKey key, List<X509Certificate> chain) {
    X509Certificate[] chainArray() {
      return chain.toArray(X509Certificate[]::new);
    }
  }

  /** Gives access to Netty's reader of PEM files. */
  private abstract static class PemReader extends SslContext {
    static PrivateKey readKey(File file, @Nullable String password)
        throws GeneralSecurityException, IOException {
      return toPrivateKey(file, password);
    }

    static List<X509Certificate> readCertificates(File file) throws GeneralSecurityException {
      return List.of(toX509Certificates(file));
    }
  }

  /**
   * Reads a key and its certificates, and checks that they belong together.
   *
   * @param keyFile empty for PKCS#12
   * @param password of the key, or of the PKCS#12 file; empty for none
   */
  static Identity readIdentity(String certificateFile, String keyFile, String password)
      throws IOException, GeneralSecurityException {
    Identity identity =
        CertificateFormat.of(certificateFile) == CertificateFormat.PKCS12
            ? readStore(certificateFile, password)
            : new Identity(readKey(keyFile, password), readPem(certificateFile));
    if (!belongTogether(identity)) {
      throw new KeyException("got a key that is not that of the certificate in " + certificateFile);
    }
    return identity;
  }

  private static PrivateKey readKey(String file, String password)
      throws IOException, GeneralSecurityException {
    File readable = readable(file);
    try {
      return PemReader.readKey(readable, password.isEmpty() ? null : password);
    } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
      throw new KeyException("got no key in " + file + ": " + e.getMessage(), e);
    }
  }

  private static List<X509Certificate> readPem(String file)
      throws IOException, GeneralSecurityException {
    try {
      return PemReader.readCertificates(readable(file));
    } catch (GeneralSecurityException e) {
      throw new KeyException("got no certificates in " + file + ": " + e.getMessage(), e);
    }
  }

  private static Identity readStore(String file, String password)
      throws IOException, GeneralSecurityException {
    KeyStore store = openStore(file, password);
    for (String alias : Collections.list(store.aliases())) {
      Key key = store.isKeyEntry(alias) ? store.getKey(alias, password.toCharArray()) : null;
      Certificate[] chain = store.getCertificateChain(alias);
      if (key instanceof PrivateKey own && chain != null) {
        return new Identity(own, x509(List.of(chain)));
      }
    }
    throw new KeyException("got no private key in " + file);
  }

  private static KeyStore openStore(String file, String password)
      throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(readable(file).toPath())) {
      store.load(in, password.toCharArray());
    } catch (IOException e) {
      throw new IOException("got " + file + ": " + e.getMessage(), e);
    }
    return store;
  }

  private static List<X509Certificate> x509(List<Certificate> certificates) {
    List<X509Certificate> found = new ArrayList<>();
    for (Certificate certificate : certificates) {
      if (certificate instanceof X509Certificate x509) {
        found.add(x509);
      }
    }
    return found;
  }

  /** Reads the certificates of authorities. */
  static X509Certificate[] readAuthorities(String file, String password)
      throws IOException, GeneralSecurityException {
    List<X509Certificate> authorities =
        CertificateFormat.of(file) == CertificateFormat.PKCS12
            ? readTrusted(file, password)
            : readPem(file);
    return authorities.toArray(X509Certificate[]::new);
  }

  private static List<X509Certificate> readTrusted(String file, String password)
      throws IOException, GeneralSecurityException {
    KeyStore store = openStore(file, password);
    List<Certificate> trusted = new ArrayList<>();
    for (String alias : Collections.list(store.aliases())) {
      if (store.isCertificateEntry(alias)) {
        trusted.add(store.getCertificate(alias));
      }
    }
    if (trusted.isEmpty()) {
      throw new KeyException("got no trusted certificates in " + file);
    }
    return x509(trusted);
  }

  /** Signs with the key, and verifies with the certificate. */
  private static boolean belongTogether(Identity identity) throws GeneralSecurityException {
    if (identity.chain().isEmpty()) {
      return false;
    }
    String algorithm =
        switch (identity.key().getAlgorithm()) {
          case "RSA" -> "SHA256withRSA";
          case "EC" -> "SHA256withECDSA";
          case "DSA" -> "SHA256withDSA";
          case String other -> other;
        };
    if (algorithm.equals("RSASSA-PSS")) {
      return true; // the handshake chooses the parameters
    }
    Signature signer = Signature.getInstance(algorithm);
    signer.initSign(identity.key());
    signer.update(SAMPLE);
    byte[] signed = signer.sign();
    try {
      Signature verifier = Signature.getInstance(algorithm);
      verifier.initVerify(identity.chain().getFirst().getPublicKey());
      verifier.update(SAMPLE);
      return verifier.verify(signed);
    } catch (GeneralSecurityException otherKindOfKey) {
      return false;
    }
  }

  private static File readable(String name) throws IOException {
    File file = Path.of(name).toFile();
    if (!file.canRead()) {
      throw new IOException("got " + file.getAbsolutePath() + ", which can't be read");
    }
    return file;
  }
}
