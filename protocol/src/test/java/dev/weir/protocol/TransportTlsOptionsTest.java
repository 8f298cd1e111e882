package dev.weir.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContextBuilder;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;

class TransportTlsOptionsTest {
  private static final char[] PASSWORD = "changeit".toCharArray();
  @TempDir private static Path dir;
  private static Pem node;
  private static Pem elsewhere;
  private static Pem gateway;

  private record Pem(File certificate, File key) {}

  private final EventLoops loops = EventLoops.start(1);
  private final ScriptedTransportNode fake = new ScriptedTransportNode(loops, "tls");

  @BeforeAll
  static void makeCertificates() throws Exception {
    node = selfSigned("node", "san=dns:localhost,ip:127.0.0.1");
    gateway = selfSigned("gateway", "san=dns:elsewhere.example");
    elsewhere = gateway;
  }

  @AfterEach
  void close() {
    fake.close();
    loops.close();
  }

  /** Made by the JDK's keytool, since the JDK has no API for it. */
  private static Pem selfSigned(String name, String names)
      throws IOException, InterruptedException, GeneralSecurityException {
    Path store = dir.resolve(name + ".p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-J-XX:TieredStopAtLevel=1",
                "-genkeypair",
                "-alias",
                name,
                "-keyalg",
                "EC",
                "-dname",
                "CN=" + name,
                "-ext",
                names,
                "-validity",
                "2",
                "-storetype",
                "PKCS12",
                "-storepass",
                new String(PASSWORD),
                "-keystore",
                store.toString())
            .redirectErrorStream(true)
            .redirectOutput(dir.resolve(name + ".log").toFile())
            .start();
    assertThat(keytool.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(keytool.exitValue()).isZero();
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD);
    }
    return new Pem(
        pem(name + ".crt", "CERTIFICATE", keys.getCertificate(name).getEncoded()),
        pem(name + ".key", "PRIVATE KEY", keys.getKey(name, PASSWORD).getEncoded()));
  }

  private static File pem(String file, String type, byte[] bytes) throws IOException {
    String text =
        "-----BEGIN "
            + type
            + "-----\n"
            + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes)
            + "\n-----END "
            + type
            + "-----\n";
    return Files.writeString(dir.resolve(file), text).toFile();
  }

  private void start(Pem certificate, boolean wantsClient) throws IOException {
    fake.tls(
        SslContextBuilder.forServer(certificate.certificate, certificate.key)
            .trustManager(gateway.certificate)
            .clientAuth(wantsClient ? ClientAuth.REQUIRE : ClientAuth.NONE)
            .build());
    fake.start();
  }

  private String discover(@Nullable TransportTlsOptions tls) throws Exception {
    try (TransportClients clients =
        new TransportClients(
            loops,
            new NamedWriteableRegistry(List.of()),
            TransportOptions.defaults().withTls(tls),
            TransportMemory.forThisJvm(1),
            new SplittableRandom(1))) {
      return clients
          .connectSeed(new InetSocketAddress("localhost", fake.address().getPort()))
          .toCompletableFuture()
          .get(20, TimeUnit.SECONDS)
          .endpoint()
          .name();
    }
  }

  @Test
  void talksToANodeThatWantsTheClientsCertificate() throws Exception {
    start(node, true);

    assertThat(
            discover(
                TransportTlsOptions.ofPem(
                    gateway.certificate, gateway.key, null, node.certificate, true)))
        .isEqualTo("tls");
  }

  @Test
  void rejectACertificateOfAnotherHost() throws Exception {
    start(elsewhere, false);

    assertThatThrownBy(() ->
            discover(TransportTlsOptions.ofPem(null, null, null, elsewhere.certificate, true)))
        .hasMessageContaining("handshake failed");
    assertThat(discover(TransportTlsOptions.ofPem(null, null, null, elsewhere.certificate, false)))
        .isEqualTo("tls");
  }

  @Test
  void rejectAnUntrustedNode() throws Exception {
    start(node, false);

    assertThatThrownBy(() ->
            discover(TransportTlsOptions.ofPem(null, null, null, elsewhere.certificate, true)))
        .hasMessageContaining("handshake failed");
  }

  @Test
  void saysThatANodeWantsTls() throws Exception {
    start(node, false);

    assertThatThrownBy(() -> discover(null)).hasMessageContaining("handshake failed");
  }

  @Test
  void refusesHalfAKeyPair() {
    assertThatThrownBy(() -> TransportTlsOptions.ofPem(gateway.certificate, null, null, null, true))
        .hasMessage("got a certificate without its key (expected: both or none)");
  }
}
