package dev.weir.gateway.network;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.concurrent.TimeUnit;

/**
 * A certificate of tests that signs itself.
 *
 * @param storeFile PKCS#12, with key and certificate, under {@link #PASSWORD}
 * @param keys the same
 */
public record SelfSignedCertificate(
    String certificateFile, String keyFile, String storeFile, KeyStore keys) {
  public static final String PASSWORD = "changeit";

  static SelfSignedCertificate create(Path folder) throws Exception {
    return create(folder, "gateway");
  }

  /** Creates a certificate of the subject {@code CN=name} for loopback. */
  public static SelfSignedCertificate create(Path folder, String name) throws Exception {
    return create(folder, name, "EC");
  }

  /** Creates a certificate with a key of an algorithm that {@code keytool} knows. */
  static SelfSignedCertificate create(Path folder, String name, String algorithm) throws Exception {
    Path store = folder.resolve(name + ".p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "gateway",
                "-keyalg",
                algorithm,
                "-dname",
                "CN=" + name,
                "-ext",
                "san=dns:localhost,ip:127.0.0.1",
                "-storetype",
                "PKCS12",
                "-keystore",
                store.toString(),
                "-storepass",
                PASSWORD)
            .inheritIO()
            .start();
    assertThat(keytool.waitFor(60, TimeUnit.SECONDS)).isTrue();
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD.toCharArray());
    }
    return new SelfSignedCertificate(
        pem(folder, name + ".crt", "CERTIFICATE", keys.getCertificate("gateway").getEncoded()),
        pem(
            folder,
            name + ".key",
            "PRIVATE KEY",
            keys.getKey("gateway", PASSWORD.toCharArray()).getEncoded()),
        store.toString(),
        keys);
  }

  private static String pem(Path folder, String name, String kind, byte[] bytes)
      throws IOException {
    String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
    Path file = folder.resolve(name);
    Files.writeString(
        file, "-----BEGIN " + kind + "-----\n" + text + "\n-----END " + kind + "-----\n");
    return file.toString();
  }
}
