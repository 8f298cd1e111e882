package dev.weir.gateway.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.config.policy.TlsClientPolicy;
import dev.weir.config.policy.TlsServerPolicy;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Key;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.Base64;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TlsContextFactoryTest {
  private static final char[] PASSWORD = "changeit".toCharArray();

  @TempDir private static Path folder;

  private static String certificate = "";
  private static String key = "";

  @BeforeAll
  static void makeCertificate() throws Exception {
    Path store = folder.resolve("keys.p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "gateway",
                "-keyalg",
                "EC",
                "-dname",
                "CN=gateway",
                "-storetype",
                "PKCS12",
                "-keystore",
                store.toString(),
                "-storepass",
                new String(PASSWORD))
            .inheritIO()
            .start();
    assertThat(keytool.waitFor(60, TimeUnit.SECONDS)).isTrue();
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD);
    }
    Certificate chain = keys.getCertificate("gateway");
    Key secret = keys.getKey("gateway", PASSWORD);
    certificate = pem("cert.pem", "CERTIFICATE", chain.getEncoded());
    key = pem("key.pem", "PRIVATE KEY", secret.getEncoded());
  }

  private static String pem(String name, String kind, byte[] bytes) throws IOException {
    String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
    Path file = folder.resolve(name);
    Files.writeString(
        file, "-----BEGIN " + kind + "-----\n" + text + "\n-----END " + kind + "-----\n");
    return file.toString();
  }

  private static TlsClientPolicy client(String certificate, String key, String trust) {
    return new TlsClientPolicy(true, certificate, key, "", trust, true);
  }

  @Test
  void offerHttp2AndHttp1ToClients() throws Exception {
    var context =
        Objects.requireNonNull(
            TlsContextFactory.serverContext(new TlsServerPolicy(true, certificate, key, "")));
    assertThat(context.isServer()).isTrue();
    assertThat(context.applicationProtocolNegotiator().protocols())
        .containsExactly("h2", "http/1.1");
  }

  @Test
  void readCertificatesForAndOfNodes() throws Exception {
    var rest =
        Objects.requireNonNull(
            TlsContextFactory.restClientContext(client(certificate, key, certificate)));
    assertThat(rest.isClient()).isTrue();
    var transport =
        Objects.requireNonNull(TlsContextFactory.transportTls(client("", "", certificate)));
    assertThat(transport.verifyHostname()).isTrue();
  }

  @Test
  void disableTlsByDefault() throws Exception {
    TlsClientPolicy off = new TlsClientPolicy(false, "", "", "", "", true);
    assertThat(TlsContextFactory.serverContext(new TlsServerPolicy(false, "", "", ""))).isNull();
    assertThat(TlsContextFactory.restClientContext(off)).isNull();
    assertThat(TlsContextFactory.transportTls(off)).isNull();
  }

  @Test
  void nameTheUnusableFile() throws Exception {
    String missing = folder.resolve("none.pem").toString();
    Path empty = Files.writeString(folder.resolve("empty.pem"), "");
    assertThatThrownBy(() -> TlsContextFactory.transportTls(client("", "", missing)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("transport-tls: got " + missing);
    assertThatThrownBy(() ->
            TlsContextFactory.serverContext(new TlsServerPolicy(true, empty.toString(), key, "")))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("http.tls: ")
        .hasMessageContaining("empty.pem");
  }
}
