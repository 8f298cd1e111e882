package dev.weir.gateway.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.config.policy.HttpPolicy;
import dev.weir.config.policy.TlsClientPolicy;
import dev.weir.testkit.fixtures.TestPolicies;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import javax.net.ssl.SSLEngine;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TlsContextFactoryTest {
  private static final CertificateWatcher watcher = new CertificateWatcher();
  private static final TlsContextFactory factory = new TlsContextFactory(watcher);

  @TempDir private static Path folder;

  private static SelfSignedCertificate own;
  private static SelfSignedCertificate other;

  @BeforeAll
  static void makeCertificates() throws Exception {
    own = SelfSignedCertificate.create(folder, "own");
    other = SelfSignedCertificate.create(folder, "other");
  }

  @AfterAll
  static void close() {
    watcher.close();
  }

  private static TlsClientPolicy client(String certificate, String key, String trust) {
    String password = key.isEmpty() ? SelfSignedCertificate.PASSWORD : "";
    return new TlsClientPolicy(true, certificate, key, password, trust, "", true);
  }

  private static HttpPolicy http(String tls) {
    return TestPolicies.parse(
            "clusters: {main: {seeds: [\"127.0.0.1:1\"]}}\nhttp: {tls: {" + tls + "}}\n")
        .http();
  }

  private static HttpPolicy pem(String certificate, String key) {
    return http(
        "enabled: true, certificate-file: \"" + certificate + "\", key-file: \"" + key + "\"");
  }

  @Test
  void offerHttp2AndHttp1ToClients() throws Exception {
    ReloadableTlsContext context =
        Objects.requireNonNull(factory.serverContext(pem(own.certificateFile(), own.keyFile())));
    assertThat(context.get().isServer()).isTrue();
    assertThat(context.get().applicationProtocolNegotiator().protocols())
        .containsExactly("h2", "http/1.1");
    assertThat(context.expires()).isInTheFuture();
  }

  @Test
  void speakCurrentProtocolsAndCiphersOnly() throws Exception {
    for (SSLEngine engine :
        new SSLEngine[] {
          Objects.requireNonNull(factory.serverContext(pem(own.certificateFile(), own.keyFile())))
              .get()
              .newEngine(UnpooledByteBufAllocator.DEFAULT),
          Objects.requireNonNull(
                  factory.restClientContext("main", client("", "", own.certificateFile())))
              .get()
              .newEngine(UnpooledByteBufAllocator.DEFAULT)
        }) {
      // Netty always lists SSLv2Hello for BoringSSL: the format of a hello, not a protocol
      assertThat(engine.getEnabledProtocols())
          .filteredOn(protocol -> !protocol.equals("SSLv2Hello"))
          .containsExactlyInAnyOrder("TLSv1.3", "TLSv1.2");
      assertThat(engine.getEnabledCipherSuites())
          .isNotEmpty()
          .allMatch(suite -> suite.matches("TLS_(ECDHE_(EC|R)[DS][SA]+_WITH_)?[A-Z0-9_]+"))
          .allMatch(suite -> suite.contains("_GCM_") || suite.contains("_CHACHA20_"))
          .noneMatch(suite -> suite.startsWith("TLS_RSA_"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"EC", "RSA", "Ed25519", "RSASSA-PSS"})
  void presentCertificatesWithEveryKindOfKey(String algorithm) throws Exception {
    SelfSignedCertificate made =
        SelfSignedCertificate.create(folder, "key-" + algorithm, algorithm);
    ReloadableTlsContext server =
        Objects.requireNonNull(
            factory.serverContext(
                http(
                    "enabled: true, certificate-file: \""
                        + made.storeFile()
                        + "\", key-password: "
                        + SelfSignedCertificate.PASSWORD)));
    SslContext client =
        SslContextBuilder.forClient()
            .sslProvider(SslProvider.JDK)
            .trustManager(Path.of(made.certificateFile()).toFile())
            .build();
    SslHandler asking = client.newHandler(UnpooledByteBufAllocator.DEFAULT, "localhost", 1);
    EmbeddedChannel here = new EmbeddedChannel(asking);
    EmbeddedChannel there =
        new EmbeddedChannel(server.get().newHandler(UnpooledByteBufAllocator.DEFAULT));
    for (int i = 0; i < 100 && !asking.handshakeFuture().isDone(); i++) {
      move(here, there);
      move(there, here);
    }
    assertThat(asking.handshakeFuture().isSuccess())
        .as(algorithm + ": " + asking.handshakeFuture().cause())
        .isTrue();
    here.finishAndReleaseAll();
    there.finishAndReleaseAll();
  }

  private static void move(EmbeddedChannel from, EmbeddedChannel to) {
    from.runPendingTasks();
    for (ByteBuf bytes = from.readOutbound(); bytes != null; bytes = from.readOutbound()) {
      to.writeInbound(bytes);
    }
  }

  @Test
  void readPkcs12() throws Exception {
    ReloadableTlsContext context =
        Objects.requireNonNull(
            factory.serverContext(
                http(
                    "enabled: true, certificate-file: \""
                        + own.storeFile()
                        + "\", key-password: "
                        + SelfSignedCertificate.PASSWORD)));
    assertThat(context.get().isServer()).isTrue();
    assertThat(
            factory.restClientContext("main", client(own.storeFile(), "", other.certificateFile())))
        .isNotNull();
    assertThatThrownBy(() ->
            factory.serverContext(
                http(
                    "enabled: true, certificate-file: \""
                        + own.storeFile()
                        + "\", key-password: wrong")))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("http.tls: got " + own.storeFile());
    assertThatThrownBy(() -> factory.restClientContext("main", client("", "", own.storeFile())))
        .hasMessageStartingWith("clusters.main.rest-tls: ");
  }

  @Test
  void readCertificatesForAndOfNodes() throws Exception {
    var rest =
        Objects.requireNonNull(
            factory.restClientContext(
                "main", client(own.certificateFile(), own.keyFile(), other.certificateFile())));
    assertThat(rest.get().isClient()).isTrue();
    var transport =
        Objects.requireNonNull(
            factory.transportTls("main", client("", "", other.certificateFile())));
    assertThat(transport.verifyHostname()).isTrue();
    assertThat(transport.context().get().isClient()).isTrue();
  }

  @Test
  void disableTlsByDefault() throws Exception {
    TlsClientPolicy off = new TlsClientPolicy(false, "", "", "", "", "", true);
    assertThat(factory.serverContext(http("enabled: false"))).isNull();
    assertThat(factory.restClientContext("main", off)).isNull();
    assertThat(factory.transportTls("main", off)).isNull();
  }

  @Test
  void nameTheUnusableFile() throws Exception {
    String missing = folder.resolve("none.pem").toString();
    Path empty = Files.writeString(folder.resolve("empty.pem"), "");
    assertThatThrownBy(() -> factory.transportTls("main", client("", "", missing)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("clusters.main.transport-tls: got " + missing);
    assertThatThrownBy(() -> factory.serverContext(pem(empty.toString(), own.keyFile())))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("http.tls: ")
        .hasMessageContaining("empty.pem");
    assertThatThrownBy(() -> factory.serverContext(pem(own.certificateFile(), empty.toString())))
        .hasMessageContaining("got no key in " + empty);
  }

  @Test
  void refuseAKeyOfAnotherCertificate() {
    assertThatThrownBy(() -> factory.serverContext(pem(own.certificateFile(), other.keyFile())))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(
            "got a key that is not that of the certificate in " + own.certificateFile());
  }
}
