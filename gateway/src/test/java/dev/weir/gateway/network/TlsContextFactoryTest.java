package dev.weir.gateway.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.config.policy.TlsClientPolicy;
import dev.weir.config.policy.TlsServerPolicy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TlsContextFactoryTest {
  @TempDir private static Path folder;

  private static String certificate = "";
  private static String key = "";

  @BeforeAll
  static void makeCertificate() throws Exception {
    SelfSignedCertificate made = SelfSignedCertificate.create(folder);
    certificate = made.certificateFile();
    key = made.keyFile();
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
